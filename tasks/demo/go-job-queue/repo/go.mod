module example.org/jobqueue

go 1.22
