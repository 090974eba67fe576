/** All that this package knows of time. Both functions give back how to cancel. */
export interface Scheduler {
  after(ms: number, task: () => void): () => void;
  every(ms: number, task: () => void): () => void;
}

export const systemScheduler: Scheduler = {
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
  every(ms, task) {
    const timer = setInterval(task, ms);
    return () => clearInterval(timer);
  },
};
