module example.org/textcolumns

go 1.22
