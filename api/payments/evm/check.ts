/** Startup checks for payments on an EVM chain: the node, the token's signing domain, and the pay-to address. */
import { domainSeparator, erc20Abi, getAddress, type Hex, isAddress, type PublicClient, parseAbi } from 'viem'
import { answerMsMax, type Check, examine, ok, wrong } from '../../../infra/check.ts'
import { hostOf } from '../../../infra/http-url.ts'
import { aheadMsMax, behindMsMax } from '../payment-network.ts'
import { paymentNetwork, usdcOnBase } from './network.ts'
import { createEvmNode } from './node.ts'
import type { Stablecoin } from './signature.ts'

export type EvmAccount = Readonly<{ rpcUrl: string; payTo: string }>

export function checkEvmAccount({ rpcUrl, payTo }: EvmAccount): readonly Promise<Check>[] {
  const node = createEvmNode(rpcUrl, { timeoutMs: answerMsMax - 500, retryCount: 0 })
  return [checkPayTo(payTo), checkNode(node, hostOf(rpcUrl)), checkToken(node, hostOf(rpcUrl), usdcOnBase)]
}

const chainId = Number(paymentNetwork.split(':')[1])

/**
 * Checks the pay-to address, because money sent to a mistyped address is lost. The capital letters in an address are
 * its checksum (EIP-55).
 */
async function checkPayTo(payTo: string): Promise<Check> {
  const name = 'pay-to address'
  const isMixed = payTo.slice(2) !== payTo.slice(2).toLowerCase() && payTo.slice(2) !== payTo.slice(2).toUpperCase()
  if (isMixed && !isAddress(payTo))
    return wrong(
      name,
      `the checksum of ${payTo} is wrong: one of its characters is mistyped`,
      'correct X402_PAY_TO_EVM',
    )
  const known = ownerless.get(payTo.toLowerCase())
  if (known !== undefined)
    return wrong(name, `${payTo} is ${known}: money sent there is lost`, 'correct X402_PAY_TO_EVM')
  return ok(name, `${getAddress(payTo)} on ${paymentNetwork}`)
}

const ownerless: ReadonlyMap<string, string> = new Map([
  [`0x${'0'.repeat(40)}`, 'the zero address'],
  [usdcOnBase.address.toLowerCase(), 'the token itself'],
])

function checkNode(node: PublicClient, host: string): Promise<Check> {
  const name = 'payment node'
  const toDo = 'check that the node runs, or correct X402_EVM_RPC_URL'
  return examine({ name, where: host, toDo }, async () => {
    const network = `eip155:${await node.getChainId()}`
    if (network !== paymentNetwork)
      return wrong(name, `${host} is on ${network}, but payments are on ${paymentNetwork}`, 'correct X402_EVM_RPC_URL')
    const ageMs = Date.now() - Number((await node.getBlock()).timestamp) * 1000
    const ageSec = Math.round(ageMs / 1000)
    if (ageMs < -aheadMsMax)
      return wrong(name, `the newest block is ${-ageSec} s ahead of this machine's clock`, 'set the clock (NTP)')
    if (ageMs > behindMsMax)
      return wrong(
        name,
        `the newest block of ${host} is ${ageSec} s old`,
        'set the clock (NTP), or choose a node that follows its chain',
      )
    return ok(name, `${host} is on ${network}, its newest block ${Math.max(0, ageSec)} s old`)
  })
}

const domainAbi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function version() view returns (string)',
])

/**
 * Checks the token's EIP-712 domain. Buyers sign for the domain that the 402 response names. If the token's
 * own domain differs, every payment fails.
 */
function checkToken(node: PublicClient, host: string, token: Stablecoin): Promise<Check> {
  const check = 'payment token'
  const { address, name, version } = token
  const toDo =
    'check that X402_EVM_RPC_URL is a node of that chain. If it is, update the service: this version has a wrong name for the token'
  return examine({ name: check, where: host, toDo }, async () => {
    const read = { address, abi: [...domainAbi, ...erc20Abi] } as const
    const [actual, itsName, itsVersion] = await Promise.all([
      node.readContract({ ...read, functionName: 'DOMAIN_SEPARATOR' }),
      node.readContract({ ...read, functionName: 'name' }),
      node.readContract({ ...read, functionName: 'version' }),
    ])
    const expected: Hex = domainSeparator({ domain: { name, version, chainId, verifyingContract: address } })
    return actual === expected
      ? ok(check, `${address} signs as ${name}, version ${version}`)
      : wrong(
          check,
          `the token ${address} signs as ${itsName}, version ${itsVersion}, but our offers name ${name}, version ${version}`,
          toDo,
        )
  })
}
