/**
 * @module
 * `serve`: runs a peer until it is told to stop.
 */

import { type Command, Option } from 'commander';
import { misuse } from './failure.ts';
import { type CliIo, printJson } from './io.ts';
import { JSON_ALWAYS_HELP } from './options.ts';

type ServeOptions = {
  readonly config: string;
  readonly untilStdinEnds?: boolean;
  readonly fault?: 'flip-answers';
};

/** Listens on loopback, on a port that the system picks, unless the config says more. */
const LISTEN_BY_DEFAULT = ['/ip4/127.0.0.1/tcp/0'];

/** Adds `serve` to the program. */
export function addServe(program: Command, io: CliIo): void {
  program
    .command('serve')
    .description('Run a peer: answer requests from its store')
    .requiredOption('--config <file>', 'config of the peer')
    .option('--until-stdin-ends', 'stop when stdin ends, too')
    .option('--json', JSON_ALWAYS_HELP)
    .addOption(
      new Option('--fault <kind>', 'for demos and tests: flip-answers flips a bit in every answer')
        .choices(['flip-answers'])
        .hideHelp(),
    )
    .addHelpText(
      'after',
      '\nThe first line of stdout is { event: "listening", multiaddr, peerId, ... }; then one line per' +
        '\nrequest. SIGINT and SIGTERM close the peer cleanly. Nothing is pruned from the store unless' +
        '\nthe config has settings.retention.',
    )
    .action((options: ServeOptions) => runServe(io, options));
}

async function runServe(io: CliIo, options: ServeOptions): Promise<void> {
  const [{ loadConfig }, { openPeer }] = await Promise.all([
    import('./config.ts'),
    import('./peer-process.ts'),
  ]);
  const interrupt = io.listenForInterrupt();
  try {
    const config = await loadConfig(options.config);
    const peer = await openPeer(config, {
      listenByDefault: LISTEN_BY_DEFAULT,
      onServed: (event) => printJson(io, { event: 'request', ...event }),
      lies: options.fault === 'flip-answers',
    });
    try {
      const { multiaddrs, libp2p } = peer.node;
      const [multiaddr] = multiaddrs;
      if (multiaddr === undefined) {
        throw misuse(`${options.config}: listen: no address to be reached at`);
      }
      printJson(io, {
        event: 'listening',
        multiaddr,
        peerId: libp2p.peerId.toString(),
        multiaddrs,
        pid: process.pid,
      });
      await untilToldToStop(io, interrupt.signal, options);
    } finally {
      await peer.stop();
    }
  } finally {
    interrupt.dispose();
  }
}

async function untilToldToStop(
  io: CliIo,
  signal: AbortSignal,
  { untilStdinEnds }: ServeOptions,
): Promise<void> {
  const interrupted = new Promise<void>((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race(untilStdinEnds === true ? [interrupted, io.inputEnded()] : [interrupted]);
}
