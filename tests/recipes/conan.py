"""Runs the packaging step of a Conan recipe with substitutes for what it imports from Conan.

usage: conan.py RECIPE_FOLDER SOURCE_FOLDER PACKAGE_FOLDER
"""

import pathlib
import shutil
import sys
import types

recipe, source, package = (pathlib.Path(argument) for argument in sys.argv[1:])


def copy(conanfile, pattern, src, dst):
    for file in pathlib.Path(src).rglob(pattern):
        to = pathlib.Path(dst) / file.relative_to(src)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)


def stand_in(name, **members):
    module = types.ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module


required = []
standards = []
stand_in("conan", ConanFile=object)
stand_in("conan.tools")
stand_in("conan.tools.build", check_min_cppstd=lambda conanfile, standard: standards.append(standard))
stand_in("conan.tools.files", copy=copy, get=None)
stand_in("conan.tools.layout", basic_layout=None)
scope = {}
exec(compile((recipe / "conanfile.py").read_text(), "conanfile.py", "exec"), scope)

conanfile = scope["WlfmtConan"]()
conanfile.source_folder, conanfile.package_folder = str(source), str(package)
conanfile.requires = lambda reference, **traits: required.append(reference)
conanfile.cpp_info = types.SimpleNamespace()
for with_fast_float in True, False:
    conanfile.options = types.SimpleNamespace(with_fast_float=with_fast_float)
    conanfile.requirements()
conanfile.validate()
conanfile.package()
conanfile.package_info()
assert [reference.split("/")[0] for reference in required] == ["fast_float"], required
assert standards == [17], standards
assert conanfile.cpp_info.defines == ["WLFMT_NO_FAST_FLOAT"]
