// Command courierd takes webhooks in and delivers them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"example.org/courier/api"
	"example.org/courier/deliver"
	"example.org/courier/queue"
	"example.org/courier/store/memory"
	"example.org/courier/worker"
)

func main() {
	listen := flag.String("listen", ":8080", "address of the API")
	workers := flag.Int("workers", 8, "deliveries at a time")
	lease := flag.Duration("lease", 30*time.Second, "how long a delivery belongs to a worker that is not heard of")
	grace := flag.Duration("grace", 20*time.Second, "how long deliveries may go on after a signal")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	host, _ := os.Hostname()
	q := queue.New(&memory.Store{}, queue.Options{Lease: *lease})
	poster := &deliver.Poster{
		Client: &http.Client{Timeout: 15 * time.Second},
		Secret: []byte(os.Getenv("COURIER_SECRET")),
	}
	pool := &worker.Pool{
		Queue: q, Handler: poster.Deliver, Size: *workers, Grace: *grace,
		Name: fmt.Sprintf("%s/%d", host, os.Getpid()),
	}
	server := &http.Server{Addr: *listen, Handler: api.New(q), ReadHeaderTimeout: 5 * time.Second}

	var running sync.WaitGroup
	running.Go(func() { pool.Run(ctx) })
	running.Go(func() {
		<-ctx.Done()
		_ = server.Shutdown(context.WithoutCancel(ctx))
	})
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		slog.Error("listen", "error", err)
		stop()
	}
	running.Wait()
}
