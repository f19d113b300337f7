/**
 * @module
 * Workers that are steered by hand: each begins and finishes tasks when the test says so, and ends
 * when the test says so. They keep the rules of real ones: messages in order, claims before tasks.
 */

import { Claims, type ToThread } from '../../../src/coding/pool/messages.ts';
import type {
  StartThread,
  ThreadEvents,
  ThreadPort,
} from '../../../src/coding/pool/thread-port.ts';

type TaskMessage<Task> = Extract<ToThread<Task>, { readonly type: 'task' }>;

/** One worker. */
export class FakeThread<Task> implements ThreadPort<Task> {
  readonly slot: number;
  readonly #events: ThreadEvents;
  readonly #runTask: (task: Task) => void;
  readonly #inbox: ToThread<Task>[] = [];
  #claims: Claims | undefined;
  #atHand: TaskMessage<Task> | undefined;
  hasEnded = false;
  isTerminated = false;
  isHeld = true;
  /** Size that its own memory was asked to have. */
  memoryBytes = 0;
  /** Its own memory, where it has one. */
  readonly memory: Uint8Array<ArrayBuffer> = new Uint8Array(4096);

  constructor(slot: number, events: ThreadEvents, runTask: (task: Task) => void) {
    this.slot = slot;
    this.#events = events;
    this.#runTask = runTask;
  }

  post(message: ToThread<Task>): void {
    this.#inbox.push(message);
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
  }

  terminate(): void {
    this.isTerminated = true;
  }

  /** The task that it has begun. */
  get atHand(): Task | undefined {
    return this.#atHand?.task;
  }

  /** Tasks that it was sent and has not looked at, those taken back included. */
  get waiting(): readonly Task[] {
    return this.#inbox.flatMap((message) => (message.type === 'task' ? [message.task] : []));
  }

  /** Says that it can do tasks. */
  getReady(): void {
    const [setup] = this.#inbox.splice(0, 1);
    if (setup?.type === 'setup' && setup.claims !== undefined) {
      this.#claims = new Claims(setup.claims);
    }
    this.#events.message({ type: 'ready' });
  }

  /** Says that it cannot. */
  refuse(cause: string): void {
    this.#events.message({ type: 'not_ready', cause });
  }

  /** Begins the next task, if one waits that was not taken back. */
  begin(): Task | undefined {
    while (this.#atHand === undefined && this.#inbox.length > 0 && !this.hasEnded) {
      const [message] = this.#inbox.splice(0, 1);
      if (message?.type === 'task') {
        this.#take(message);
      } else if (message?.type === 'fetch') {
        const regions = message.regions.map(({ address, bytes }) => ({
          address,
          bytes: this.memory.slice(address, address + bytes),
        }));
        this.#events.message({ type: 'fetched', ticket: message.ticket, regions });
      }
    }
    return this.atHand;
  }

  /** Ends the task at hand. */
  finish(): void {
    const message = this.#atHand;
    if (message !== undefined && !this.hasEnded) {
      this.#atHand = undefined;
      const { ticket } = message;
      try {
        this.#runTask(message.task);
        this.#events.message({ type: 'done', ticket });
      } catch (error: unknown) {
        this.#events.message({ type: 'failed', ticket, cause: String(error) });
      }
    }
  }

  /** Does one task from begin to end. */
  step(): Task | undefined {
    const task = this.begin();
    this.finish();
    return task;
  }

  /** Is no more. */
  end(cause: unknown = 'killed'): void {
    if (!this.hasEnded) {
      this.hasEnded = true;
      this.#events.end(cause);
    }
  }

  #take(message: TaskMessage<Task>): void {
    if (this.#claims?.claim(message.ticket) === false) {
      this.#events.message({ type: 'skipped', ticket: message.ticket });
      return;
    }
    if (message.load !== undefined) {
      this.memoryBytes = message.load.memoryBytes;
      for (const { address, bytes } of message.load.regions) {
        this.memory.set(bytes, address);
      }
    }
    this.#atHand = message;
  }
}

/** Every worker that was started, in order. */
export class FakeThreads<Task> {
  readonly all: FakeThread<Task>[] = [];
  /** Does a task on a worker. */
  runTask: (task: Task, thread: FakeThread<Task>) => void = () => undefined;
  /** What the next starts throw. */
  refusal: Error | undefined;

  readonly start: StartThread<Task> = (events) => {
    if (this.refusal !== undefined) {
      throw this.refusal;
    }
    const thread: FakeThread<Task> = new FakeThread(this.all.length, events, (task) =>
      this.runTask(task, thread),
    );
    this.all.push(thread);
    return thread;
  };

  /** Those that have not ended. */
  get alive(): readonly FakeThread<Task>[] {
    return this.all.filter((thread) => !thread.hasEnded);
  }

  /** All started workers get ready. */
  getReady(): void {
    for (const thread of this.alive) {
      thread.getReady();
    }
  }

  /** Ends those that were told to end. */
  reap(): void {
    for (const thread of this.alive) {
      if (thread.isTerminated) {
        thread.end('terminated');
      }
    }
  }
}

/** The end of turns, steered by hand. */
export class FakeTurns {
  #waiting: (() => void)[] = [];

  readonly endOfTurn = (callback: () => void): (() => void) => {
    const once = (): void => callback();
    this.#waiting.push(once);
    return () => {
      this.#waiting = this.#waiting.filter((one) => one !== once);
    };
  };

  /** Ends the turn. @returns How many were called. */
  end(): number {
    const due = this.#waiting;
    this.#waiting = [];
    for (const callback of due) {
      callback();
    }
    return due.length;
  }
}
