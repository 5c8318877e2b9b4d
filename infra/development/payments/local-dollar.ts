/**
 * The local dollar, a test token that takes the place of USDC on the local EVM chain, and its accounts. The
 * token has no value, because anybody can mint it and everybody knows the keys.
 */
import { readFile } from 'node:fs/promises'
import { createTestClient, createWalletClient, defineChain, type Hex, http, parseAbi, publicActions, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

/** The chain id of Base. Clients know USDC on Base, so they treat the local dollar as USDC. */
export const localChainId = 8453
export const localNetwork = `eip155:${localChainId}` as const
/** The address of USDC on Base. */
export const localDollarAddress = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const multicallAddress = '0xcA11bde05977b3631167028862bE2a173976CA11'

export const localDollarAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function mint(address to, uint256 value)',
])

/** The public mnemonic of anvil's default accounts. */
const phrase = 'test test test test test test test test test test test junk'
const accountIndexes = { facilitator: 0, buyer: 1, payTo: 2 } as const

export type LocalRole = keyof typeof accountIndexes

export const localAccount = (role: LocalRole) => mnemonicToAccount(phrase, { addressIndex: accountIndexes[role] })

/** The private key of an account. Everybody knows this key, so never send real money to the account. */
export const localKeyOf = (role: LocalRole): Hex =>
  toHex(localAccount(role).getHdKey().privateKey ?? new Uint8Array(32))

export const localChainOf = (rpcUrl: string) =>
  defineChain({
    id: localChainId,
    name: 'local chain',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })

export const localTransport = (rpcUrl: string) => http(rpcUrl, { timeout: 5_000, retryCount: 1 })

/** Puts the code of the local dollar at the address of USDC, and mints local dollars for the buyer. */
export async function deployLocalDollar(rpcUrl: string, buyerUsdMicros: bigint): Promise<void> {
  const code: unknown = JSON.parse(await readFile(new URL('./local-dollar.json', import.meta.url), 'utf8'))
  const { localDollar, localMulticall } = code as Readonly<{ localDollar: Hex; localMulticall: Hex }>
  const chain = localChainOf(rpcUrl)
  const transport = localTransport(rpcUrl)
  const node = createTestClient({ mode: 'anvil', chain, transport })
  await node.setCode({ address: localDollarAddress, bytecode: localDollar })
  await node.setCode({ address: multicallAddress, bytecode: localMulticall })
  const wallet = createWalletClient({
    account: localAccount('facilitator'),
    chain,
    transport,
    pollingInterval: 50,
  }).extend(publicActions)
  const hash = await wallet.writeContract({
    address: localDollarAddress,
    abi: localDollarAbi,
    functionName: 'mint',
    args: [localAccount('buyer').address, buyerUsdMicros],
  })
  await wallet.waitForTransactionReceipt({ hash })
}
