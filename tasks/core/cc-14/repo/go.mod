module example.org/coldkeep

go 1.25
