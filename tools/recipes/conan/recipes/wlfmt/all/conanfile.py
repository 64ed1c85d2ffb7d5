import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, get
from conan.tools.layout import basic_layout

required_conan_version = ">=2.0"


class WlfmtConan(ConanFile):
    name = "wlfmt"
    description = "Reads and writes rank op logs, workload files and profiler tables of distributed training"
    license = "MIT"
    url = "https://github.com/conan-io/conan-center-index"
    homepage = "https://github.com/wlfmt/wlfmt"
    topics = ("parser", "simulation", "profiling", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"with_fast_float": [True, False]}
    default_options = {"with_fast_float": True}
    no_copy_source = True

    def layout(self):
        basic_layout(self, src_folder="src")

    def requirements(self):
        if self.options.with_fast_float:
            self.requires("fast_float/8.1.0", transitive_headers=True)

    def package_id(self):
        self.info.settings.clear()

    def validate(self):
        check_min_cppstd(self, 17)

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        include = os.path.join(self.source_folder, "include")
        for pattern in ("*.hpp", "*.cppm"):
            copy(self, pattern, include, os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if not self.options.with_fast_float:
            self.cpp_info.defines = ["WLFMT_NO_FAST_FLOAT"]
