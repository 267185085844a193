# How the library is installed, and found again: by pkg-config, and by find_package(opcat).
include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/opcat)

install(TARGETS opcat EXPORT opcat-shared
        LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS opcat_static EXPORT opcat-static
        ARCHIVE COMPONENT development)
install(FILES opcat.h TYPE INCLUDE COMPONENT development)

# The file tells its prefix from where it lies, so that an installation can be moved, or installed elsewhere than configured.
file(RELATIVE_PATH OPCAT_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" OPCAT_PC_TO_PREFIX "${OPCAT_PC_TO_PREFIX}")
configure_file(opcat.pc.in opcat.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/opcat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The static library in a file of its own: only who wants it needs SQLite's headers and library.
foreach(set opcat-shared opcat-static)
  install(EXPORT ${set} NAMESPACE opcat:: DESTINATION ${config_folder} COMPONENT development)
endforeach()
configure_file(opcat-config.cmake.in opcat-config.cmake @ONLY)
write_basic_package_version_file(opcat-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/opcat-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/opcat-config-version.cmake
        DESTINATION ${config_folder} COMPONENT development)
