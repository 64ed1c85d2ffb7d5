# Fills in the recipes for package registries, which are in tools/recipes as their registries lay them out: the version
# from include/wlfmt/version.hpp, the hashes from the archive of the release.
#
#     cmake -DARCHIVE=wlfmt-1.0.0.tar.gz -DTO=folder -P tools/recipes.cmake
#
# The archive is the one that the recipes download: https://github.com/wlfmt/wlfmt/archive/refs/tags/vVERSION.tar.gz
cmake_minimum_required(VERSION 3.20)
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
if(NOT EXISTS "${ARCHIVE}" OR NOT TO)
    message(FATAL_ERROR "usage: cmake -DARCHIVE=wlfmt-VERSION.tar.gz -DTO=FOLDER -P tools/recipes.cmake")
endif()

# A file's SHA-256 as `sha256-BASE64`.
function(integrity variable file)
    set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    file(SHA256 "${file}" hash)
    string(APPEND hash "00") # 66 digits, which make 44 digits of base 64, the last of them padding
    set(result "sha256-")
    foreach(at RANGE 0 63 3)
        string(SUBSTRING "${hash}" ${at} 3 part)
        math(EXPR high "0x${part} >> 6")
        math(EXPR low "0x${part} & 63")
        string(SUBSTRING "${digits}" ${high} 1 high)
        string(SUBSTRING "${digits}" ${low} 1 low)
        string(APPEND result "${high}${low}")
    endforeach()
    string(REGEX REPLACE ".$" "=" result "${result}")
    set(${variable} "${result}" PARENT_SCOPE)
endfunction()

file(STRINGS "${root}/include/wlfmt/version.hpp" VERSION REGEX "^#define WLFMT_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
list(TRANSFORM VERSION REPLACE "^.* " "")
list(JOIN VERSION "." VERSION)
file(SHA256 "${ARCHIVE}" SHA256)
file(SHA512 "${ARCHIVE}" SHA512)
integrity(INTEGRITY "${ARCHIVE}")

# source.json comes last: it names the hashes of the files that Bazel lays over the archive.
file(GLOB_RECURSE recipes RELATIVE "${root}/tools/recipes" "${root}/tools/recipes/*")
list(FILTER recipes EXCLUDE REGEX "source\\.json$")
foreach(recipe IN LISTS recipes)
    string(REPLACE "/VERSION/" "/${VERSION}/" filled "${recipe}")
    configure_file("${root}/tools/recipes/${recipe}" "${TO}/${filled}" @ONLY)
endforeach()
set(module "${TO}/bazel/modules/wlfmt/${VERSION}")
integrity(INTEGRITY_BUILD "${module}/overlay/BUILD.bazel")
integrity(INTEGRITY_MODULE "${module}/overlay/MODULE.bazel")
configure_file("${root}/tools/recipes/bazel/modules/wlfmt/VERSION/source.json" "${module}/source.json" @ONLY)
# The registry wants MODULE.bazel beside the overlay, too.
configure_file("${module}/overlay/MODULE.bazel" "${module}/MODULE.bazel" COPYONLY)
# Conan's test builds the program that wlfmt's own tests of embedding build.
configure_file("${root}/tests/embedding/main.cpp"
    "${TO}/conan/recipes/wlfmt/all/test_package/test_package.cpp" COPYONLY)
