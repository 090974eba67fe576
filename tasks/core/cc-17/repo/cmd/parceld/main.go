// Command parceld tells where parcels are.
package main

import (
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"time"

	"example.org/parceld/parcel"
	"example.org/parceld/server"
)

func main() {
	listen := flag.String("listen", ":8090", "address")
	token := flag.String("token", os.Getenv("PARCELD_TOKEN"), "what carriers show")
	form := flag.String("log", "json", "json or text")
	flag.Parse()

	var handler slog.Handler = slog.NewJSONHandler(os.Stderr, nil)
	if *form == "text" {
		handler = slog.NewTextHandler(os.Stderr, nil)
	}
	log := slog.New(handler)
	service := &http.Server{
		Addr:              *listen,
		Handler:           server.New(server.Options{Book: parcel.NewBook(), Token: *token, Log: log}),
		ReadHeaderTimeout: 5 * time.Second,
		ErrorLog:          slog.NewLogLogger(handler, slog.LevelWarn),
	}
	log.Info("listening", "address", *listen)
	if err := service.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Error("stopped", "error", err)
		os.Exit(1)
	}
}
