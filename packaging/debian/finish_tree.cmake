# Run by CPack on the tree that becomes a .deb: what Debian's policy wants that no other installation needs.
set(tree "${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}")
if(NOT EXISTS "${tree}/bin/einrun")
  message(FATAL_ERROR "finish_tree.cmake: expected the tree that CPack packs, found ${tree}; it is run by cpack alone")
endif()
set(doc "${tree}/share/doc/einloom")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "finish_tree.cmake: expected ${ARGN} to work, found exit code ${failed}; see above")
  endif()
endfunction()

# Changelog and copyright, in Debian's forms; ours stay beside them.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)   # of SOURCE_DATE_EPOCH, where it is set
file(WRITE "${doc}/changelog" "einloom (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
  "  * Version ${CPACK_PACKAGE_VERSION}: see CHANGELOG.md beside this file.\n\n"
  " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
run(gzip -9nf "${doc}/changelog")
configure_file("${CPACK_EIN_SOURCE}/packaging/debian/copyright" "${doc}/copyright" COPYONLY)
file(REMOVE "${doc}/LICENSE")
run(sh -c "gzip -9nf '${tree}'/share/man/man1/*.1")
file(GLOB archives "${tree}/lib/*/einloom/*.a" "${tree}/lib/einloom/*.a")
if(archives)
  run(strip --strip-debug --remove-section=.comment --remove-section=.note --enable-deterministic-archives ${archives})
endif()

# zsh of Debian looks for what packages bring in a folder of its own.
if(EXISTS "${tree}/share/zsh/site-functions")
  file(RENAME "${tree}/share/zsh/site-functions" "${tree}/share/zsh/vendor-completions")
endif()
run(chmod -R u=rwX,go=rX "${tree}")
run(sh -c "grep -l '^#!' '${tree}'/share/einloom/configs/*.sh | xargs chmod +x")   # batch scripts
