"""A player of Nim: reads the size of the heap, and answers how many sticks it takes."""

while True:
    heap = int(input())
    print(max(1, heap % 4), flush=True)
