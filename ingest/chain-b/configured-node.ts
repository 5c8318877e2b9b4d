import type { Config } from '../../infra/config.ts'
import type { ChainBNode } from './follow/open-rpc-source.ts'

const mainnet = { url: 'https://mainnet.helius-rpc.com/', wsUrl: 'wss://atlas-mainnet.helius-rpc.com/' } as const

type NodeConfig = Pick<Config, 'HELIUS_API_KEY' | 'CHAIN_B_RPC_URL' | 'CHAIN_B_WS_URL'>

/**
 * Returns the node that the configuration names, or null if there is none. The URL of a Helius node contains
 * the API key.
 */
export function configuredNode({ HELIUS_API_KEY: key, ...urls }: NodeConfig): ChainBNode | null {
  if (key !== undefined)
    return {
      kind: 'helius',
      url: withKey(urls.CHAIN_B_RPC_URL ?? mainnet.url, key),
      wsUrl: withKey(urls.CHAIN_B_WS_URL ?? mainnet.wsUrl, key),
    }
  return urls.CHAIN_B_RPC_URL === undefined ? null : { kind: 'plain', url: urls.CHAIN_B_RPC_URL }
}

function withKey(url: string, key: string): string {
  const keyed = new URL(url)
  keyed.searchParams.set('api-key', key)
  return keyed.href
}
