import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { runTypeScript } from '../../support/run-typescript.ts'

const program = fileURLToPath(new URL('./hang.ts', import.meta.url))

const run = async (what: string) => {
  const child = spawn(process.execPath, [runTypeScript, program, what], { stdio: ['ignore', 'ignore', 'pipe'] })
  let told = ''
  child.stderr.on('data', (bytes) => {
    told += String(bytes)
  })
  const [code, signal] = await new Promise<readonly unknown[]>((resolve) =>
    child.once('close', (...ended) => resolve(ended)),
  )
  return { code, signal, told: told.trim() }
}

describe('the watch over a process', () => {
  it('kills it with a sentence where its main thread stands still', async () => {
    const { signal, told } = await run('stuck')
    expect(signal).to.equal('SIGKILL')
    expect(told).to.match(
      /^launch-data: the process is killed: its main thread has not responded for 2 s, perhaps because of a fault in native/,
    )
  })

  it('kills it with a sentence where it must end and does not', async () => {
    const { signal, told } = await run('endless')
    expect(signal).to.equal('SIGKILL')
    expect(told).to.equal('launch-data: the process is killed: it did not end within 2 s. Committed data is safe')
  })

  it('lets it run while its main thread moves, and end by itself', async () => {
    expect(await run('busy')).to.deep.equal({ code: 3, signal: null, told: '' })
  })
})
