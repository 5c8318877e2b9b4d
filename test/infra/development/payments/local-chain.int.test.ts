import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { startLocalChain } from '../../../../infra/development/payments/local-chain.ts'

const chainId = 31_337

type Answer = Readonly<{ result?: string; error?: Readonly<{ message: string }> }>

async function ask(rpcUrl: string, method: string, params: readonly unknown[] = []): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await response.json()) as Answer
}

/** Null if there is no answer. */
const askChainId = (rpcUrl: string): Promise<number | null> =>
  ask(rpcUrl, 'eth_chainId').then(
    ({ result }) => Number(result),
    () => null,
  )

/** Starts the local chain, and prints its address and every SIGINT. */
const script = `
  import { startLocalChain } from ${JSON.stringify(new URL('../../../../infra/development/payments/local-chain.ts', import.meta.url).href)}
  process.on('SIGINT', () => console.log('SIGINT'))
  const { rpcUrl } = await startLocalChain(${chainId})
  console.log(rpcUrl)
  setInterval(() => {}, 1000)`

describe('the local chain', () => {
  it('answers until it is stopped', async () => {
    const chain = await startLocalChain(chainId)
    expect(await askChainId(chain.rpcUrl)).to.equal(chainId)
    await chain.stop()
    expect(await askChainId(chain.rpcUrl)).to.equal(null)
    await chain.stop()
  })

  it('can still be asked about a block that was its newest when the question was put, and forgets older ones', async () => {
    const { rpcUrl, stop } = await startLocalChain(chainId)
    try {
      await ask(rpcUrl, 'anvil_mine', ['0x64'])
      const balanceAt = async (block: number) => {
        const { result, error } = await ask(rpcUrl, 'eth_getBalance', [
          `0x${'1'.repeat(40)}`,
          `0x${block.toString(16)}`,
        ])
        return result ?? error?.message.split(':')[0]
      }
      const known = await Promise.all([100, 99, 98, 90, 80].map(balanceAt))
      expect(known).to.deep.equal(Array(5).fill('0x0'))
      expect(await balanceAt(50)).to.equal('BlockOutOfRangeError')
    } finally {
      await stop()
    }
  })

  it('is not ended by a signal to the process group of who started it, such as Ctrl-C', async () => {
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    const [rpcUrl] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
    process.kill(-Number(parent.pid), 'SIGINT')
    await once(createInterface({ input: parent.stdout }), 'line')
    await sleep(500)
    expect(await askChainId(rpcUrl)).to.equal(chainId)
    const exited = once(parent, 'exit')
    parent.kill('SIGKILL')
    await exited
    while ((await askChainId(rpcUrl)) !== null) await sleep(20)
  })

  it('does not outlive a process that is killed', async () => {
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [rpcUrl] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
    expect(await askChainId(rpcUrl)).to.equal(chainId)
    const exited = once(parent, 'exit')
    parent.kill('SIGKILL')
    await exited
    while ((await askChainId(rpcUrl)) !== null) await sleep(20)
  })
})
