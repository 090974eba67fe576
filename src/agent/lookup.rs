//! Files of the workspace as tools read and write them: by commands inside, as the agent itself would.
//!
//! Whatever is wrong with a path is an answer. Only a sandbox that is gone is a fault.

use super::AgentError;
use crate::sandbox::{Command, End, Finished, Sandbox};

/// Bytes of a file that is read or edited.
const MOST_FILE: usize = 4 << 20;
/// Seconds of one reading or writing.
const SECONDS: u64 = 60;
/// How the commands say that there is nothing at the path, and that there is something that cannot be used.
const MISSING: i32 = 81;
const UNUSABLE: i32 = 82;

/// What stands at a path of the workspace.
pub(super) enum Lookup {
    /// A file with this content.
    Found(Present, Vec<u8>),
    /// Nothing, so that a file can be made there.
    Missing(Vacant),
    /// Something else, or something that cannot be read, and why.
    Unusable(String),
}

/// A path at which a file was found: only that can be replaced.
pub(super) struct Present(String);

/// A path at which nothing was found: only there can a file be made.
pub(super) struct Vacant(String);

/// Begins both commands: `$1` is the workspace, `$p` the path below it, and `no` ends with a reason.
const BEGIN: &str = r#"
no() { printf '%s\n' "$1" >&2; exit 82; }
cd -- "$1" 2>/dev/null || no 'the root of the repository cannot be entered'
p=./$2
"#;

/// Prints the file at a path, after it was seen to be one; `$3` is the most bytes.
const READ: &str = r#"
if ! about=$(LC_ALL=C stat -L -c '%s %F' -- "$p" 2>&1); then
    case $about in
        *': No such file or directory') [ -L "$p" ] && no 'is a link to nothing'; exit 81 ;;
        *) no "${about##*: }" ;;
    esac
fi
case ${about#* } in
    regular*) ;;
    directory) no 'is a folder' ;;
    *) no "is no file but a ${about#* }" ;;
esac
[ "${about%% *}" -le "$3" ] || no "has ${about%% *} bytes, more than $3"
[ -r "$p" ] || no 'Permission denied'
exec cat -- "$p"
"#;

/// Writes its input to a path, whole or not at all. `$3` is `new` where nothing may stand there.
const WRITE: &str = r#"
root=$(pwd -P) && real=$(readlink -m -- "$p" && printf x) || no 'is gone'
real=${real%?x} # a name may end in line breaks, which the shell would cut off
case $real in "${root%/}"/*) ;; *) no 'leads out of the repository, from where nothing is handed in' ;; esac
if [ "$3" = new ]; then
    { [ -e "$p" ] || [ -L "$p" ]; } && no 'is there already'
    said=$(mkdir -p -- "${p%/*}" 2>&1) || no "${said##*: }"
else
    p=$real
    [ -w "$p" ] || no 'Permission denied'
fi
part=$(mktemp -- "${p%/*}/.part-XXXXXXXX" 2>&1) || no "${part##*: }"
if said=$( { cat >"$part" &&
    if [ "$3" = new ]; then chmod 644 -- "$part"; else chmod --reference="$p" -- "$part"; fi &&
    mv -fT -- "$part" "$p"; } 2>&1 ); then exit 0; fi
rm -f -- "$part"
no "${said##*: }"
"#;

/// Looks at a path below the workspace, as [`super::tools`] has checked it.
pub(super) async fn look_up(sandbox: &mut dyn Sandbox, path: &str) -> Result<Lookup, AgentError> {
    let most = MOST_FILE.to_string();
    // Half is kept from the beginning, and all of it must be in that half.
    let command = Command { output_bytes: 2 * (MOST_FILE + 1), ..command(sandbox, READ, path, &most) };
    let done = sandbox.exec(&command).await?;
    Ok(match done.end {
        End::Exit(0) => Lookup::Found(Present(path.to_owned()), [done.stdout.head, done.stdout.tail].concat()),
        End::Exit(MISSING) => Lookup::Missing(Vacant(path.to_owned())),
        End::Exit(_) | End::Signal(_) | End::TimedOut | End::OutOfMemory | End::DiskLimit => {
            Lookup::Unusable(reason(&done))
        }
    })
}

impl Present {
    /// Gives the file another content; why that could not be, if so.
    pub(super) async fn replace(
        self,
        sandbox: &mut dyn Sandbox,
        bytes: Vec<u8>,
    ) -> Result<Result<(), String>, AgentError> {
        write(sandbox, &self.0, "old", bytes).await
    }
}

impl Vacant {
    /// Makes the file, with the folders above it; why that could not be, if so.
    pub(super) async fn create(
        self,
        sandbox: &mut dyn Sandbox,
        bytes: Vec<u8>,
    ) -> Result<Result<(), String>, AgentError> {
        write(sandbox, &self.0, "new", bytes).await
    }
}

async fn write(
    sandbox: &mut dyn Sandbox,
    path: &str,
    kind: &str,
    bytes: Vec<u8>,
) -> Result<Result<(), String>, AgentError> {
    let done = sandbox.exec(&Command { stdin: bytes, ..command(sandbox, WRITE, path, kind) }).await?;
    Ok(if done.end.good() { Ok(()) } else { Err(reason(&done)) })
}

/// One of the two commands. It does not begin in the workspace, which may be no folder any more.
fn command(sandbox: &dyn Sandbox, script: &str, path: &str, last: &str) -> Command {
    let script = format!("{BEGIN}{script}");
    let words = ["sh", "-c", &script, "tools", &sandbox.path("/workspace"), path, last].map(str::to_owned);
    Command { dir: "/".to_owned(), seconds: SECONDS, ..Command::new(words) }
}

/// Why a command of ours did not do its part, in few words.
fn reason(done: &Finished) -> String {
    let said = done.stderr.text().trim().to_owned();
    match done.end {
        End::Exit(UNUSABLE) if !said.is_empty() => said,
        End::Exit(code) => format!("cannot be used: exit code {code}, {said}"),
        End::Signal(number) => format!("cannot be used: the command was ended by signal {number}"),
        End::TimedOut => format!("cannot be used within {SECONDS} s"),
        End::OutOfMemory => "cannot be used: memory ran out".to_owned(),
        End::DiskLimit => "cannot be used: the sandbox has written more than it may".to_owned(),
    }
}
