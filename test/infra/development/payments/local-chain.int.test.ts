import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { startLocalChain } from '../../../../infra/development/payments/local-chain.ts'

const chainId = 31_337

/** Null if there is no answer. */
async function askChainId(rpcUrl: string): Promise<number | null> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(rpcUrl, { method: 'POST', headers, body }).catch(() => null)
  if (response === null) return null
  const { result } = (await response.json()) as { result: string }
  return Number(result)
}

/** Prints where the chain is, and every SIGINT. */
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
