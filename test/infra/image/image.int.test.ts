/** Runs the commands of the Dockerfile in a folder with the content of the image: the files that it copies, and its packages. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { expect } from 'chai'
import { freePorts } from '../../../infra/ports.ts'
import { registryCheck } from './compose.ts'
import { image, isSent } from './image.ts'

type Command = readonly string[]
type Environment = Readonly<Record<string, string>>

const start = ([program = '', ...words]: Command, environment: Environment, cwd = '.') =>
  spawn(program === 'node' ? process.execPath : program, words, {
    ...{ cwd, env: { PATH: process.env.PATH, ...environment }, stdio: 'pipe' },
  })

async function run(command: Command, environment: Environment, cwd?: string) {
  const child = start(command, environment, cwd)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += bytes))
  const [code] = await once(child, 'close')
  return { code, text }
}

/** Copies the files of the image, and links the packages that `npm ci --omit=dev` installs. */
function fillFolder(folder: string): void {
  for (const source of image.sources)
    cpSync(source, join(folder, source), {
      recursive: true,
      filter: (path) => isSent(relative('.', path)),
    })
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Readonly<{
    packages: Readonly<Record<string, Readonly<{ dev?: boolean; link?: boolean }>>>
  }>
  for (const [path, { dev, link }] of Object.entries(packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(link ? join(folder, 'infra/no-sqlite') : resolve(path), join(folder, path))
  }
}

/** Serves `status` at every path, and passes the port to `use`. */
async function withServer<Result>(status: number, use: (port: number) => Promise<Result>): Promise<Result> {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use((server.address() as AddressInfo).port)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

describe('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'launch-data-image-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has all that the service needs to start, to be found healthy and to end', async () => {
    fillFolder(folder)
    const bundled = await run(image.bundle, image.environment, folder)
    expect(bundled.code, bundled.text).to.equal(0)
    expect(bundled.text).to.contain('Usage: launch-data')

    const [port = 0, metricsPort = 0] = await freePorts(2)
    const places = { PORT: String(port), METRICS_PORT: String(metricsPort), DATA_DIR: join(folder, 'data') }
    const environment = { ...image.environment, ...places }
    const service = start([...image.entry, ...image.arguments], environment, folder)
    const ended = once(service, 'close')
    let text = ''
    const listening = new Promise<void>((resolve) => {
      for (const stream of [service.stdout, service.stderr])
        stream.on('data', (bytes) => {
          text += bytes
          if (/Launch Data Service on /.test(text)) resolve()
        })
    })
    try {
      expect(await Promise.race([listening.then(() => 'listens'), ended.then(() => text)])).to.equal('listens')
      expect((await run(image.healthCheck, environment)).code).to.equal(0)
      expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).to.equal(200)
    } finally {
      service.kill('SIGTERM')
    }
    expect(await ended).to.deep.equal([0, null])
  })

  it('is healthy if /livez answers 200, and unhealthy if it answers 503 or not at all', async () => {
    const codeAt = async (port: number) => (await run(image.healthCheck, { METRICS_PORT: String(port) })).code
    expect(await withServer(200, codeAt)).to.equal(0)
    expect(await withServer(503, codeAt)).to.equal(1)
    const [unused = 0] = await freePorts(1)
    expect(await codeAt(unused)).to.equal(1)
  })
})

describe('the health check of the registry', () => {
  it('fails unless the registry answers 200', async () => {
    const codeAt = async (port: number) => (await run(registryCheck(port), {})).code
    expect(await withServer(200, codeAt)).to.equal(0)
    expect(await withServer(503, codeAt)).to.equal(1)
    const [unused = 0] = await freePorts(1)
    expect(await codeAt(unused)).to.equal(1)
  })
})
