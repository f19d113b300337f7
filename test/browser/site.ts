/**
 * @module
 * A web server on loopback for one bundle: the same files under several names, each with headers of
 * its own, visited one after the other by one browser. A page posts its report and is told where to go.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One visit. */
export type Visit = {
  /** Folder of the page's address; its reports are filed under it. */
  readonly name: string;
  /** Headers of every file of the visit. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the page's address, with its question mark. */
  readonly query?: string;
  /** Markup before everything else of the page. */
  readonly head?: string;
};

/** What is served, by name. */
export type SiteFiles = ReadonlyMap<string, string | Uint8Array>;

/** Media types by the end of a name; scripts of type module need theirs. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
};

/** A server that listens; disposing closes it with its connections. */
export class Site implements AsyncDisposable {
  /** Reports by visit, when the last has come. */
  readonly reports: Promise<ReadonlyMap<string, unknown>>;
  private readonly filed = new Map<string, unknown>();
  private readonly finish: (reports: ReadonlyMap<string, unknown>) => void;
  private readonly server: Server;
  private readonly files: SiteFiles;
  private readonly visits: readonly Visit[];

  private constructor(files: SiteFiles, visits: readonly Visit[]) {
    this.files = files;
    this.visits = visits;
    const { promise, resolve } = Promise.withResolvers<ReadonlyMap<string, unknown>>();
    this.reports = promise;
    this.finish = resolve;
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  /** Serves on a free port. */
  static async open(files: SiteFiles, visits: readonly Visit[]): Promise<Site> {
    const site = new Site(files, visits);
    await new Promise<void>((resolve) => site.server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  /** Where the browser starts. */
  get address(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.nextPath}`;
  }

  /** Path of the first page that has not reported; empty when all have. */
  private get nextPath(): string {
    const next = this.visits.find(({ name }) => !this.filed.has(name));
    return next === undefined ? '' : `/${next.name}/index.html${next.query ?? ''}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const [, name = '', ...rest] = pathname.split('/');
    const file = rest.join('/');
    const visit = this.visits.find((one) => one.name === name);
    if (visit !== undefined && request.method === 'POST' && file === 'report') {
      this.filed.set(name, JSON.parse(await text(request)));
      response.end(this.nextPath);
      if (this.nextPath === '') {
        this.finish(this.filed);
      }
      return;
    }
    const body = this.files.get(file);
    if (visit === undefined || body === undefined) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, ...visit.headers });
    response.end(file === 'index.html' ? `${visit.head ?? ''}${String(body)}` : body);
  }
}
