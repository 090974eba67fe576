//! Names of modules that a patch must not put in the place of the real ones, and what distributions call theirs.

/// Modules of the standard library, of every version from 3.11 on, those that are written in C too.
pub(super) const STANDARD: &str = "\
    __future__ _abc _aix_support _ast _asyncio _bisect _blake2 _bootsubprocess _bz2 _codecs _codecs_cn \
    _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _colorize \
    _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal \
    _elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp \
    _interpreters _io _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing _opcode \
    _operator _osx_support _overlapped _pickle _posixshmem _posixsubprocess _py_abc _pydatetime _pydecimal _pyio \
    _pylong _pyrepl _queue _random _scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal _sitebuiltins _socket \
    _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _symtable _thread _threading_local _tkinter \
    _tokenize _tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi _zoneinfo abc aifc annotationlib \
    antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins \
    bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall \
    concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm \
    decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp \
    fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip \
    hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json \
    keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder \
    msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os \
    ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint \
    profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib \
    resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib \
    sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string \
    stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios \
    textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle \
    turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg \
    winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

/// Libraries that run or judge tests, or that stand in for what tests must not reach.
///
/// What pytest and its own parts bring along or look for among what is loaded stands in [`BROUGHT`]: such a name is
/// never a patch's to take. The others are there only where a project needs them, itself or by what it needs.
pub(super) const LIBRARIES: &str = "\
    _hypothesis_ftz_detector _hypothesis_globals _hypothesis_pytestplugin _pytest aioresponses aiounittest \
    approvaltests assertpy asyncmock asynctest attr attrs behave betamax coverage ddt deepdiff dirty_equals \
    django_webtest doublex exceptiongroup execnet expects factory faker fakeredis fixtures flexmock freezegun \
    genty green hamcrest httmock httpretty hypothesis hypothesis_graphql hypothesis_jsonschema iniconfig \
    inline_snapshot libfaketime localstack mixer mock mockito model_bakery mongomock moto mutmut nbval nose \
    nose2 nose_parameterized nox packaging parameterized playwright pluggy polyfactory pook py pyfakefs pygments \
    pytest pytest_aiohttp pytest_anyio pytest_arraydiff pytest_astropy_header pytest_asyncio pytest_bdd \
    pytest_benchmark pytest_cases pytest_check pytest_console_scripts pytest_cov pytest_datadir pytest_django \
    pytest_doctestplus pytest_dotenv pytest_env pytest_factoryboy pytest_filter_subpackage pytest_flask \
    pytest_forked pytest_freezer pytest_harvest pytest_html pytest_httpserver pytest_httpx pytest_instafail \
    pytest_lazy_fixtures pytest_lazyfixture pytest_localserver pytest_metadata pytest_mock pytest_mypy_plugins \
    pytest_order pytest_param_files pytest_playwright pytest_randomly pytest_recording pytest_regressions \
    pytest_remotedata pytest_repeat pytest_rerunfailures pytest_retry pytest_snapshot pytest_socket pytest_steps \
    pytest_subprocess pytest_subtests pytest_sugar pytest_testmon pytest_timeout pytest_tornasync pytest_trio \
    pytest_twisted pytest_unordered pytest_xdist requests_mock responses respx robot schemathesis selenium \
    snapshottest sortedcontainers subunit sure sybil syrupy tavern testcontainers testfixtures testscenarios \
    testtools time_machine tomli tox unittest2 unittest_expander vcr ward webtest xdist xdoctest";

/// The part of [`LIBRARIES`], and more, that pytest, pip and the reporter bring along, import when it is there, or look
/// for among the modules that are loaded.
pub(super) const BROUGHT: &str = "\
    _distutils_hack _hypothesis_globals _hypothesis_pytestplugin _pytest argcomplete asynctest attr attrs colorama \
    coverage exceptiongroup execnet hypothesis IPython iniconfig mock nose numpy packaging pandas pexpect pip pkg_resources \
    pluggy py pygments pytest readline setuptools tomli twisted typing_extensions unittest2 wheel xdist zope";

/// Distributions whose module has another name.
pub(super) const RENAMED: [(&str, &str); 62] = [
    ("antlr4-python3-runtime", "antlr4"),
    ("attrs", "attr"),
    ("azure-core", "azure"),
    ("backports-zoneinfo", "backports"),
    ("beautifulsoup4", "bs4"),
    ("biopython", "Bio"),
    ("cython", "Cython"),
    ("djangorestframework", "rest_framework"),
    ("dnspython", "dns"),
    ("factory-boy", "factory"),
    ("gitpython", "git"),
    ("google-api-python-client", "googleapiclient"),
    ("grpcio", "grpc"),
    ("ipython", "IPython"),
    ("msgpack-python", "msgpack"),
    ("mysql-connector-python", "mysql"),
    ("mysqlclient", "MySQLdb"),
    ("opencv-python", "cv2"),
    ("opencv-python-headless", "cv2"),
    ("pdfminer-six", "pdfminer"),
    ("pillow", "PIL"),
    ("protobuf", "google"),
    ("psycopg2-binary", "psycopg2"),
    ("pycairo", "cairo"),
    ("pycryptodome", "Crypto"),
    ("pycryptodomex", "Cryptodome"),
    ("pygobject", "gi"),
    ("pyhamcrest", "hamcrest"),
    ("pyjwt", "jwt"),
    ("pymupdf", "fitz"),
    ("pynacl", "nacl"),
    ("pyobjc", "objc"),
    ("pyopenssl", "OpenSSL"),
    ("pyqt5", "PyQt5"),
    ("pyqt6", "PyQt6"),
    ("pyserial", "serial"),
    ("pyside6", "PySide6"),
    ("pytest-xdist", "xdist"),
    ("python-dateutil", "dateutil"),
    ("python-docx", "docx"),
    ("python-dotenv", "dotenv"),
    ("python-json-logger", "pythonjsonlogger"),
    ("python-ldap", "ldap"),
    ("python-magic", "magic"),
    ("python-multipart", "multipart"),
    ("python-pptx", "pptx"),
    ("python-slugify", "slugify"),
    ("pyusb", "usb"),
    ("pywin32", "win32api"),
    ("pyyaml", "yaml"),
    ("pyzmq", "zmq"),
    ("ruamel-yaml", "ruamel"),
    ("scikit-image", "skimage"),
    ("scikit-learn", "sklearn"),
    ("setuptools", "pkg_resources"),
    ("speechrecognition", "speech_recognition"),
    ("umap-learn", "umap"),
    ("vcrpy", "vcr"),
    ("websocket-client", "websocket"),
    ("wxpython", "wx"),
    ("xlib", "Xlib"),
    ("zope-interface", "zope"),
];
