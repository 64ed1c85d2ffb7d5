"""Builds the Python package for pip (PEP 517): the module, the command, and the files of python/wlfmt.

Needs nothing but a C++17 compiler: $CXX, or c++. $CXXFLAGS follow the flags that are set here. $WLFMT_PYTHON_COMMAND
names a command that is built already, and $WLFMT_PYTHON_MODULE a module.
"""

import base64
import concurrent.futures
import glob
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PACKAGE = os.path.join(ROOT, "python", "wlfmt")
HOME = "https://github.com/wlfmt/wlfmt"
IN_SDIST = ("LICENSE", "README.md", "pyproject.toml", "include", "analysis", "python", "tools")


def _version():
    """The version is kept in one place, include/wlfmt/version.hpp."""
    with open(os.path.join(ROOT, "include", "wlfmt", "version.hpp"), encoding="ascii") as file:
        return ".".join(re.findall(r"^#define WLFMT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", file.read(), re.M))


def _metadata():
    with open(os.path.join(ROOT, "python", "README.md"), encoding="utf-8") as file:
        readme = file.read()
    # An index shows the text far from the files that it links to.
    readme = re.sub(r"\]\(\.\./", f"]({HOME}/blob/v{_version()}/", readme)
    return "\n".join([
        "Metadata-Version: 2.1",
        "Name: wlfmt",
        f"Version: {_version()}",
        "Summary: Rank op logs, workload files and profiler tables of distributed training, as data frames and as objects",
        f"Home-page: {HOME}",
        "License: MIT",
        "Classifier: License :: OSI Approved :: MIT License",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Programming Language :: C++",
        "Classifier: Typing :: Typed",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
        "License-File: LICENSE",
        "",
        readme,
    ])


def _is_free_threaded():
    return bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def _tag():
    """One binary serves CPython 3.8 and all later ones, but for those without a global lock."""
    python = "cp38-abi3"
    if _is_free_threaded():
        version = "cp%d%d" % sys.version_info[:2]
        python = f"{version}-{version}t"
    return f"{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _dist_info():
    return {
        "METADATA": _metadata().encode(),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: wlfmt_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode(),
        "entry_points.txt": b"[console_scripts]\nwlfmt = wlfmt.__main__:main\n",
        "LICENSE": _bytes(os.path.join(ROOT, "LICENSE")),
    }


def _bytes(path):
    with open(path, "rb") as file:
        return file.read()


def _compile(to):
    """The module and the command. Their sources are compiled at the same time."""
    if os.name == "nt":
        raise SystemExit("On Windows build the package with CMake: -DWLFMT_BUILD_PYTHON=ON")
    suffix = sysconfig.get_config_var("EXT_SUFFIX") if _is_free_threaded() else ".abi3.so"
    module, command = os.path.join(to, "_wlfmt" + suffix), os.path.join(to, "wlfmt")
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None:
        raise SystemExit(f"{compiler[0]}: there is no such compiler; CXX names another one")
    own = [*shlex.split(os.environ.get("ARCHFLAGS", "")), *shlex.split(os.environ.get("CXXFLAGS", ""))]
    flags = ["-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-I" + os.path.join(ROOT, "include"), "-I" + ROOT, *own]
    shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    headers = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
    link = shlex.split(os.environ.get("LDFLAGS", ""))
    if sys.platform != "darwin":
        link += ["-pthread", "-s"]
    further = ["-fvisibility=hidden", "-I" + os.path.join(ROOT, "python", "json"),
               *("-isystem" + path for path in sorted(headers))]
    work = {"MODULE": (module, ["python/_wlfmt.cpp"], further, shared), "COMMAND": (command, ["tools/**/*.cpp"], [], [])}
    for name, (to_file, *_) in list(work.items()):
        given = os.environ.get("WLFMT_PYTHON_" + name)
        if given:
            shutil.copy(given, to_file)
            del work[name]
    if not work:
        return module, command

    def run(words):
        print(" ".join(map(shlex.quote, words)), flush=True)
        return subprocess.run(words).returncode

    def compile_all(patterns, further):
        sources = [source for pattern in patterns for source in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))]
        objects = [os.path.join(to, os.path.relpath(source, ROOT).replace(os.sep, "_") + ".o") for source in sources]
        return objects, [[*compiler, *flags, *further, "-c", source, "-o", object_]
                         for source, object_ in zip(sources, objects)]

    common, lines = compile_all(["analysis/**/*.cpp"], [])
    links = []
    for to_file, patterns, further, kind in work.values():
        objects, more = compile_all(patterns, further)
        lines += more
        links.append([*compiler, *own, *kind, *objects, *common, "-o", to_file, *link])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if any(pool.map(run, lines)) or any(pool.map(run, links)):
            raise SystemExit("The compiler failed.")
    return module, command


def _hash(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"wlfmt-{_version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, name))
    for file_name, content in _dist_info().items():
        with open(os.path.join(metadata_directory, name, file_name), "wb") as file:
            file.write(content)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {}
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith((".py", ".pyi")) or name == "py.typed":
            files["wlfmt/" + name] = (_bytes(os.path.join(PACKAGE, name)), 0o644)
    with tempfile.TemporaryDirectory() as folder:
        module, command = _compile(folder)
        files["wlfmt/" + os.path.basename(module)] = (_bytes(module), 0o755)
        files["wlfmt/_bin/wlfmt"] = (_bytes(command), 0o755)
    info = f"wlfmt-{_version()}.dist-info/"
    files.update((info + name, (content, 0o644)) for name, content in _dist_info().items())
    record = "".join(f"{name},{_hash(content)},{len(content)}\n" for name, (content, _) in files.items())
    files[info + "RECORD"] = ((record + info + "RECORD,,\n").encode(), 0o644)
    wheel = f"wlfmt-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    base = f"wlfmt-{_version()}"

    def kept(entry):
        name = os.path.basename(entry.name)
        if name == "__pycache__" or name.endswith(".pyc"):
            return None
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        return entry

    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in IN_SDIST:
            archive.add(os.path.join(ROOT, name), f"{base}/{name}", filter=kept)
        about = _metadata().encode()
        entry = tarfile.TarInfo(base + "/PKG-INFO")
        entry.size = len(about)
        archive.addfile(entry, io.BytesIO(about))
    return base + ".tar.gz"
