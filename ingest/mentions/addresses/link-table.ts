/** For each host, where its links hold an address and what kind of address it is. Links of other shapes name none. */

/**
 * `token`: the token. `either`: the token or one of its markets. `market`: a pool or curve of it. Links to wallets are
 * not listed, so they have no kind.
 */
export type AddressKind = 'token' | 'either' | 'market'

export type LinkShape = Readonly<{
  /**
   * The first segments of the path: a word, `*` for anything, `<network>` for the network's name, `<address>` for the
   * address. Later segments are ignored.
   */
  path: readonly string[]
  /** The query parameter that holds the address, if the path does not. */
  query?: string
  /** The query parameter that names the network. */
  networkIn?: string
  kind: AddressKind
}>

const address = '<address>'
const network = '<network>'

const terminal: readonly LinkShape[] = [{ path: ['terminal'], query: 'address', networkIn: 'chainId', kind: 'token' }]
const search: readonly LinkShape[] = [{ path: ['search'], query: 'q', kind: 'token' }]

const shapesOfHost: Readonly<Record<string, readonly LinkShape[]>> = {
  'pump.fun': [
    { path: ['coin', address], kind: 'token' },
    { path: [address], kind: 'token' },
  ],
  'dexscreener.com': [{ path: [network, address], kind: 'either' }],
  'geckoterminal.com': [
    { path: [network, 'tokens', address], kind: 'token' },
    { path: [network, 'pools', address], kind: 'market' },
  ],
  'birdeye.so': [
    { path: ['token', address], networkIn: 'chain', kind: 'token' },
    { path: [network, 'token', address], kind: 'token' },
  ],
  // Its accounts are wallets, with few exceptions.
  'solscan.io': [{ path: ['token', address], kind: 'token' }],
  'gmgn.ai': [{ path: [network, 'token', address], kind: 'token' }],
  'photon-sol.tinyastro.io': [
    { path: ['*', 'lp', address], kind: 'either' },
    { path: ['*', 'r', '*', address], kind: 'token' },
  ],
  'bullx.io': terminal,
  'neo.bullx.io': terminal,
  'axiom.trade': [
    { path: ['meme', address], kind: 'market' },
    { path: ['t', address], kind: 'token' },
  ],
  'defined.fi': [{ path: [network, address], kind: 'token' }],
  'mevx.io': [{ path: [network, address], kind: 'token' }],
  'soulterminal.ai': [{ path: ['token', address], kind: 'token' }],
  'x.com': search,
  'twitter.com': search,
}

/** For explorers and terminals that are not listed: the segment after this word is a token. */
const shapesOfOthers: readonly LinkShape[] = [{ path: ['token', address], kind: 'token' }]

/** `host`: in lower case, without www. */
export const shapesOf = (host: string): readonly LinkShape[] =>
  Object.hasOwn(shapesOfHost, host) ? (shapesOfHost[host] ?? []) : shapesOfOthers

export const chatHosts: ReadonlySet<string> = new Set(['t.me', 'telegram.me', 'telegram.dog'])

/** The parameters of a link that starts a bot or its app. */
export const startParameters = ['start', 'startapp', 'startgroup'] as const

/** Prefixes of such a parameter whose address is no token: wallets, and first callers. */
export const otherStarts: readonly string[] = ['pfdev', 'dev', 'wallet', 'call', 'twit']

/** Path segments that appear where other links of the host have the network. The address after them is a wallet. */
export const otherSections: ReadonlySet<string> = new Set(['wallet'])

/** Bots whose links hold an EVM address that is the pair. */
export const botsOfPairs: readonly string[] = ['rickburpbot']
