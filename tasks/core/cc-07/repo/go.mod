module example.org/fleet

go 1.25

require (
	github.com/go-chi/chi/v5 v5.2.3
	github.com/google/uuid v1.6.0
)
