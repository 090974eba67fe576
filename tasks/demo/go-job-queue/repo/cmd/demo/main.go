// Command demo shows a queue at work.
package main

import (
	"fmt"
	"time"

	"example.org/jobqueue/queue"
)

func main() {
	now := time.Now()
	q := queue.New()
	q.Add(now.Add(time.Second), "second")
	q.Add(now, "first")
	for _, job := range q.Due(now.Add(time.Minute)) {
		fmt.Println(job.Name)
	}
}
