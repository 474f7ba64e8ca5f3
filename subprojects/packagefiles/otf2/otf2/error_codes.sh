#!/bin/sh
# error_codes.sh TEMPLATE ERRORS FINALIZE HEADER DECLARATIONS: what OTF2's configure does with the list of errors.
set -e
sed -e 's/@AFS_PACKAGE_NAME@/OTF2/g' -e 's/@PACKAGE_NAME@/OTF2/g' "$1" >"$4"
sh "$3" OTF2 "$2" "$4" "$5"
