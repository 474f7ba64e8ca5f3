#!/bin/sh
# build_bfd.sh SOURCE WORK OUT HOST CC...: libbfd and what it needs, static, into OUT. HOST is `native` or a machine.
set -e
source=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
out=$(cd "$3" && pwd)
host=$4
shift 4
[ "$host" = native ] && host_option= || host_option=--host=$host
cd "$work"
if ! { "$source/configure" $host_option --disable-gas --disable-ld --disable-gold --disable-binutils \
  --disable-gprof --disable-gprofng --disable-opcodes --disable-libctf --disable-gdb --disable-sim --disable-etc \
  --disable-nls --disable-shared --disable-plugins --disable-werror --enable-deterministic-archives \
  CC="$*" CFLAGS='-O2 -fPIC -w' &&
  make -j"$(nproc)" MAKEINFO=true all-bfd; } >log 2>&1; then
  tail -n 20 log >&2
  exit 1
fi
cp bfd/.libs/libbfd.a libiberty/libiberty.a zlib/libz.a libsframe/.libs/libsframe.a bfd/bfd.h \
  "$source/include/ansidecl.h" "$source/include/symcat.h" "$source/include/diagnostics.h" "$out"
