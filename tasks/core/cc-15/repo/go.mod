module example.org/gridbill

go 1.25
