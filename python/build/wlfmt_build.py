"""Builds the Python package for pip (PEP 517, and PEP 660 for `pip install -e`): the module, which has the command in
it, and the files of python/wlfmt.

Needs nothing but a C++17 compiler: $CXX, or c++. $CXXFLAGS follow the flags that are set here. $WLFMT_PYTHON_MODULE names
a module that is built already. meson-python would need Meson and Ninja on every machine, and makes wheels for the stable
ABI only from its version 0.15 on, which distributions do not have yet.
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


def _sources():
    """Lists of sources with the level at which each is optimised: what reads, writes and sums up more than what prints and
    draws. Those of a list are compiled as one, which takes less time. A linker keeps the first copy that it meets of a
    function of the headers: that of the fast ones."""
    def found(pattern):
        return sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))

    def divided(folder):
        with open(os.path.join(ROOT, folder, "hot.txt"), encoding="ascii") as file:
            fast = [os.path.join(ROOT, folder, name) for name in file.read().split()]
        main = os.path.join(ROOT, "tools", "main.cpp")
        return fast, [source for source in found(folder + "/**/*.cpp") if source not in (*fast, main)]

    analysis, drawing = divided("analysis")
    reading, printing = divided("tools")
    return [("-O2", analysis), ("-O2", reading), ("-O2", found("python/*.cpp")), ("-Og", drawing), ("-Og", printing)]


def _module_name():
    return "_wlfmt" + (sysconfig.get_config_var("EXT_SUFFIX") if _is_free_threaded() else ".abi3.so")


def _compile(folder):
    """The module. Its sources are compiled at the same time."""
    if os.name == "nt":
        raise SystemExit("On Windows build the package with CMake: -DWLFMT_BUILD_PYTHON=ON")
    module = os.path.join(folder, _module_name())
    given = os.environ.get("WLFMT_PYTHON_MODULE")
    if given:
        shutil.copy(given, module)
        return module
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    if shutil.which(compiler[0]) is None:
        raise SystemExit(f"{compiler[0]}: there is no such compiler; CXX names another one")
    own = [*shlex.split(os.environ.get("ARCHFLAGS", "")), *shlex.split(os.environ.get("CXXFLAGS", ""))]
    headers = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
    flags = ["-std=c++17", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-I" + os.path.join(ROOT, "include"), "-I" + ROOT,
             "-I" + os.path.join(ROOT, "python", "json"), *("-isystem" + path for path in sorted(headers))]
    is_darwin = sys.platform == "darwin"
    link = ["-bundle", "-undefined", "dynamic_lookup"] if is_darwin else ["-shared", "-pthread", "-s"]

    def run(words):
        print(" ".join(map(shlex.quote, words)), flush=True)
        return subprocess.run(words).returncode

    with tempfile.TemporaryDirectory() as work:
        objects = []
        lines = []
        for level, sources in _sources():
            source = os.path.join(work, f"{len(objects)}.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.writelines(f'#include "{one}"\n' for one in sources)
            objects.append(source + ".o")
            lines.append([*compiler, level, *flags, *own, "-c", source, "-o", objects[-1]])
        linking = [*compiler, *own, *objects, "-o", module, *link, *shlex.split(os.environ.get("LDFLAGS", ""))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            if any(pool.map(run, lines)) or run(linking):
                raise SystemExit("The compiler failed.")
    return module


def _hash(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"wlfmt-{_version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, name))
    for file_name, content in _dist_info().items():
        with open(os.path.join(metadata_directory, name, file_name), "wb") as file:
            file.write(content)
    return name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {}
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith((".py", ".pyi")) or name == "py.typed":
            files["wlfmt/" + name] = (_bytes(os.path.join(PACKAGE, name)), 0o644)
    with tempfile.TemporaryDirectory() as folder:
        files["wlfmt/" + _module_name()] = (_bytes(_compile(folder)), 0o755)
    return _wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The files stay where they are, with the module beside them: after a change of the C++ install once more."""
    _compile(PACKAGE)
    return _wheel(wheel_directory, {"wlfmt.pth": (os.path.dirname(PACKAGE).encode() + b"\n", 0o644)})


def _wheel(wheel_directory, files):
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
        if name == "__pycache__" or name.endswith((".pyc", ".so")):
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
