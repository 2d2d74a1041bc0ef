#!/bin/sh
# A player of Halma that does one thing wrong, or one thing its own way: halma.sh MODE
# It is run in its folder for every move, with input.txt there; line 2 says its colour.
colour=$(sed -n 2p input.txt)
if [ "$colour" = BLACK ]; then piece=0,0 step='E 4,0 5,0' far='E 4,0 9,9' jump='J 4,0 6,0'
else piece=15,15 step='E 11,15 10,15' far='E 11,15 5,5' jump='J 11,15 9,15'; fi
case $1 in
crash) echo "about to crash" >&2; exit 3 ;;
nothing) ;;
stall) sleep 600 ;;
late) i=0; while [ $i -lt 700000 ]; do i=$((i + 1)); done; echo "$step" >output.txt ;;
child) sh -c 'i=0; while [ $i -lt 700000 ]; do i=$((i + 1)); done; true'; echo "$step" >output.txt ;;
delegate) sh -c 'while :; do :; done'; echo "$step" >output.txt ;;
endless) while :; do :; done ;;
garbage) echo "good morning" >output.txt ;;
carriage) printf '%s\r\n' "$step" >output.txt ;;
java) printf '%s \r\n' "$step" >output.txt ;;
bytes) printf '%s\377\033\n' "$step" >output.txt ;;
wander)
	if [ -e playdata.txt ]; then step=$(cat playdata.txt)
	elif [ $colour = BLACK ]; then echo 'E 5,0 6,0' >playdata.txt
	else echo 'E 10,15 9,15' >playdata.txt; fi
	echo "$step" >output.txt ;;
told)
	if [ "$(sed -n 3p input.txt)" != "$2" ]; then exit 3; fi
	echo "$step" >output.txt ;;
huge) head -c 100000 /dev/zero | tr '\0' 'x' >output.txt ;;
pipe) mkfifo output.txt ;;
illegal) echo "$far" >output.txt ;;
nobody) echo "E 7,7 8,8" >output.txt ;;
jump) echo "$jump" >output.txt ;;
calibrated)
	if [ "$(cat calibration.txt)" != measured ]; then exit 3; fi
	echo "$step" >output.txt ;;
once)
	if [ -e playdata.txt ]; then exit 0; fi
	echo "$piece" >playdata.txt
	echo "$step" >output.txt ;;
esac
