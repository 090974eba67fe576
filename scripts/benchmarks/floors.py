"""The floors: what the bare reading or writing of the same bytes takes, by loops that do nothing else.

    python floors.py read FOLDER            every attempts.jsonl below it, to its end
    python floors.py write FOLDER COPY      the bytes of every file of FOLDER, from memory, to the same paths below COPY

Prints one JSON object with the seconds.
"""

import json
import os
import shutil
import sys
import time


def files_of(folder):
    for here, folders, files in os.walk(folder, followlinks=True):
        folders.sort()
        for name in sorted(files):
            yield os.path.join(here, name)


def read(folder):
    files = [path for path in files_of(folder) if path.endswith("attempts.jsonl")]
    buffer = bytearray(1 << 20)
    started = time.perf_counter()
    for path in files:
        with open(path, "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass
    return time.perf_counter() - started


def write(folder, copy):
    files = []
    for path in files_of(folder):
        with open(path, "rb") as file:
            files.append((os.path.join(copy, os.path.relpath(path, folder)), file.read()))
    shutil.rmtree(copy, ignore_errors=True)
    made = set()
    started = time.perf_counter()
    for path, data in files:
        place = os.path.dirname(path)
        if place not in made:
            os.makedirs(place, exist_ok=True)
            made.add(place)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        while data:
            data = data[os.write(handle, data):]
        os.close(handle)
    seconds = time.perf_counter() - started
    shutil.rmtree(copy)
    return seconds


if __name__ == "__main__":
    verb, *folders = sys.argv[1:]
    print(json.dumps({"seconds": {"read": read, "write": write}[verb](*folders)}))
