vcpkg_from_github(
    OUT_SOURCE_PATH SOURCE_PATH
    REPO wlfmt/wlfmt
    REF "v${VERSION}"
    SHA512 @SHA512@
    HEAD_REF main
)

set(VCPKG_BUILD_TYPE release) # header-only port
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DWLFMT_BUILD_BENCHMARKS=OFF
        -DWLFMT_BUILD_FUZZ=OFF
        -DWLFMT_BUILD_TESTS=OFF
        -DWLFMT_BUILD_TOOLS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/wlfmt)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
