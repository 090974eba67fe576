// Command fleetd serves the inventory.
package main

import (
	"flag"
	"log"
	"net/http"
	"time"

	"example.org/fleet/api"
	"example.org/fleet/store"
)

func main() {
	listen := flag.String("listen", ":8070", "address")
	data := flag.String("data", "", "file that keeps the inventory")
	flag.Parse()

	devices := store.New()
	if *data != "" {
		opened, err := store.Open(*data)
		if err != nil {
			log.Fatal(err)
		}
		devices = opened
	}
	server := &http.Server{
		Addr:              *listen,
		Handler:           (&api.Server{Store: devices}).Handler(),
		ReadHeaderTimeout: 5 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
