#!/bin/sh
# A player on the line wire that does one thing wrong at its first turn: scripted.sh MODE
# It hears three lines first: the size, its role, and a tile or a placement.
mode=$1
[ "$mode" = flood ] && exec yes nonsense
read -r size && read -r role && read -r news || exit 1
case $mode in
crash) echo "about to crash" >&2; exit 3 ;;
stall) sleep 600 ;;
illegal) if [ "$role" = ORDER ]; then echo "9 9 9 9"; else echo "9 9"; fi ;;
pass) echo "0 0 0 0" ;;
garbage) echo "good morning" ;;
long) head -c 100000 /dev/zero | tr '\0' 'x'; echo ;;
late) sleep 1.0; if [ "$role" = ORDER ]; then echo "0 0 0 0"; else echo "0 0"; fi ;;
esac
cat >/dev/null
