/**
 * Tests the service when npm starts it, as an operator or a container does. A payment is in flight when npm
 * is told to end.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { expect } from 'chai'
import { privateKeyToAccount } from 'viem/accounts'
import { localKeyOf, localNetwork } from '../../../infra/development/payments/local-dollar.ts'
import { freePorts } from '../../../infra/ports.ts'
import { measureProcesses } from '../../proofs/growth/processes.ts'
import { hasUnreadRequests } from './unread-requests.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const path = '/v1/rh/bursts/history?hours=1'
/**
 * The time limit for all processes to end, in milliseconds. A service that has not ended 60 s after it was told to end
 * is killed, and the test sees that in its output. A shorter limit would fail on a busy machine.
 */
const endMs = 90_000

describe('the service that npm started', () => {
  let dataDir: string
  /** The folder of a package whose start script keeps a shell between npm and the service. */
  let wrapped: string
  let npm: ChildProcess
  /** The processes that lead a group: npm, and later the shell that the local chain runs in. */
  let leaders: number[]
  let url: string
  let output: string

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-npm-'))
    wrapped = join(dataDir, 'wrapped')
    await mkdir(wrapped)
    const start = `node ${join(root, 'infra/command-line/launch-data.js')} up; exit $?`
    await writeFile(join(wrapped, 'package.json'), JSON.stringify({ name: 'wrapped', scripts: { start } }))
  })
  afterEach(() => {
    for (const leader of leaders) if (isAnyLeft(leader)) process.kill(-leader, 'SIGKILL')
  })
  after(() => rm(dataDir, { recursive: true, force: true }))

  const isAnyLeft = (leader: number) => {
    try {
      return process.kill(-leader, 0)
    } catch {
      return false
    }
  }

  const start = async (folder: string) => {
    const [port = 0] = await freePorts(1)
    url = `http://127.0.0.1:${port}`
    output = ''
    const place = { PORT: String(port), METRICS_PORT: '0', DATA_DIR: join(dataDir, 'data') }
    const env = { ...process.env, ...place, LOG_LEVEL: 'warn', SIMULATOR_LOOK_BACK_HOURS: '1' }
    npm = spawn('npm', ['start'], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    leaders = [Number(npm.pid)]
    for (const stream of [npm.stdout, npm.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output += chunk
      })
    while (!/^Try: /m.test(output)) {
      if (npm.exitCode !== null) expect.fail(output)
      await sleep(50)
    }
  }

  const buy = () => {
    const client = new x402Client().register(localNetwork, new ExactEvmScheme(privateKeyToAccount(localKeyOf('buyer'))))
    return wrapFetchWithPayment(fetch, client)(url + path)
  }

  const isListening = async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const isOpen = await Promise.race([once(socket, 'connect'), once(socket, 'error')]).then(
      () => true,
      () => false,
    )
    socket.destroy()
    return isOpen
  }

  const until = async (what: string, isSo: () => boolean | Promise<boolean>) => {
    for (const startedAtMs = performance.now(); !(await isSo()); await sleep(100))
      if (performance.now() - startedAtMs > endMs) expect.fail(`${what}, not after ${endMs} ms:\n${output}`)
  }

  /**
   * Stops the chain before the payment, and calls `stop` while the payment is in flight. Continues the chain
   * as soon as the service no longer listens.
   */
  const endsInOrderAfter = async (stop: () => void) => {
    while ((await buy()).status !== 200) await sleep(500)
    const chain = (await measureProcesses()).find(({ name }) => name === 'local chain')
    if (!chain) return expect.fail('no local chain runs')
    leaders.push(chain.parent)
    process.kill(chain.pid, 'SIGSTOP')
    const bought = buy()
    // A request at the chain shows that the service is verifying the payment.
    await until('the chain is asked about the payment', () => hasUnreadRequests(chain.pid))
    stop()
    await until('the service stops to listen', async () => !(await isListening()))
    process.kill(chain.pid, 'SIGCONT')
    const answer = await bought
    const text = await answer.text()
    await until('all processes have ended', () => !leaders.some(isAnyLeft))
    expect(output).to.not.match(/"level":[456]0|internal error|the process is killed/)
    if (answer.status === 503 && text.includes('"code":"data_stale"')) return 'stale'
    expect([answer.status, text].join(' ')).to.match(/^200 .*"bursts":/)
    expect(answer.headers.has('payment-response')).to.equal(true)
    return 'sold'
  }

  /**
   * Starts the service and stops it during a payment. On a busy machine, the data can become too old to be
   * sold before the payment is verified. The service then ends in order, but sells nothing, so this is tried
   * again.
   */
  const startsAndEndsInOrder = async (folder: string, stop: () => void) => {
    for (let attempt = 1; attempt <= 4; attempt++) {
      await start(folder)
      if ((await endsInOrderAfter(stop)) === 'sold') return
    }
    expect.fail('the data were too old at every attempt')
  }

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`ends in order when npm gets ${signal}`, async () => {
      await startsAndEndsInOrder(root, () => void npm.kill(signal))
    })

    it(`ends in order when npm gets ${signal} and a shell stands between them`, async () => {
      await startsAndEndsInOrder(wrapped, () => void npm.kill(signal))
    })
  }

  it('ends in order at Ctrl-C, which reaches npm and the service at once, and the service once more from npm', async () => {
    await startsAndEndsInOrder(root, () => void process.kill(-Number(npm.pid), 'SIGINT'))
    expect(npm.exitCode).to.equal(0)
  })
})
