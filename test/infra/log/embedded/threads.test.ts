import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { createEmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { expectFailure, fact, valuesOf } from '../../../contracts/log-contract.ts'
import { runTypeScript } from '../../../support/run-typescript.ts'

const nowMs = Date.UTC(2026, 0, 1, 12)

describe('embedded log, between threads', () => {
  let dataDir: string
  let log: Log
  let workers: Worker[]
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'embedded-threads-'))
    log = await createEmbeddedLog({ dataDir, nowMs: () => nowMs })
    workers = []
  })
  afterEach(async () => {
    for (const worker of workers) {
      const ended = once(worker, 'exit')
      worker.postMessage('close')
      await ended
    }
    await log.close()
    rmSync(dataDir, { recursive: true })
  })

  const startWriter = async (writerId: string): Promise<Worker> => {
    const worker = new Worker(new URL('./thread-writer.js', import.meta.url), {
      workerData: { dataDir, nowMs, writerId },
    })
    workers.push(worker)
    await nextMessage(worker)
    return worker
  }

  it('reads another thread’s commit at once, and wakes before its next poll', async () => {
    const worker = await startWriter('w')
    const delaysMs: number[] = []
    for (let round = 0; round < 20; round++) {
      const position = { topic: 'chain-a-facts', partition: 0, offset: round } as const
      const waiting = log.waitForAppend(position, new AbortController().signal)
      const appended = nextMessage(worker)
      worker.postMessage({ partition: 0, texts: [`${round}`], appendCount: 1 })
      await waiting
      const wokenAtMs = performance.timeOrigin + performance.now()
      delaysMs.push(wokenAtMs - (await appended).appendedAtMs)
      expect(await valuesOf(log, 'chain-a-facts', 0, round)).to.deep.equal([`${round}`])
    }
    delaysMs.sort((left, right) => left - right)
    // Without messages, each wait would last until the next poll. Polls are 250 ms apart.
    expect(delaysMs[10], `${delaysMs}`).to.be.lessThan(125)
  })

  it('takes appends of several threads to one partition without gap or overlap', async () => {
    const writers = await Promise.all(['w1', 'w2'].map(startWriter))
    const done = writers.map(nextMessage)
    writers.forEach((worker, index) => {
      worker.postMessage({ partition: 0, texts: [`${index}a`, `${index}b`], appendCount: 15 })
    })
    const own = await log.openWriter('own')
    for (let count = 0; count < 15; count++) await own.append([fact(0, '3a'), fact(0, '3b')])
    await Promise.all(done)
    const values = await valuesOf(log, 'chain-a-facts', 0)
    expect(values).to.have.lengthOf(90)
    for (let at = 0; at < values.length; at += 2)
      expect(values[at + 1], `${at}`).to.equal(values[at]?.replace('a', 'b'))
    for (const index of [0, 1, 3]) expect(values.filter((text) => text === `${index}a`)).to.have.lengthOf(15)
  })

  it('fences across threads', async () => {
    const stale = await log.openWriter('task')
    await startWriter('task')
    await expectFailure(stale.append([fact(0, 'late')]), 'writer_fenced')
    expect(await valuesOf(log, 'chain-a-facts', 0)).to.deep.equal([])
  })
})

describe('an embedded log that waits', () => {
  it('does not keep its process alive', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'embedded-idle-'))
    const script = fileURLToPath(new URL('./idle-waiter.ts', import.meta.url))
    const child = spawn(process.execPath, [runTypeScript, script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
    })
    await new Promise((resolve) => child.once('close', resolve))
    rmSync(dataDir, { recursive: true })
    expect(output).to.equal('waiting\n')
  })
})

async function nextMessage(worker: Worker): Promise<{ appendedAtMs: number }> {
  // `once` also rejects on an error of the thread.
  const [message] = await once(worker, 'message')
  return message
}
