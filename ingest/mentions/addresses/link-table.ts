/**
 * Lists, for each web host, at which place its links contain a token address or pool address. Links of other
 * forms are ignored.
 */

/** The kind of the address in a link: `token`, `market` (a pool or curve of a token), or `either`. Links to wallets are not listed. */
export type AddressKind = 'token' | 'either' | 'market'

export type LinkShape = Readonly<{
  /**
   * The segments of the link's path, from the first one on. A segment is a word, `*` for any word,
   * `<network>` for the name of the network, or `<address>` for the address. The link may have more segments.
   */
  path: readonly string[]
  /** The query parameter with the address, if the path does not contain it. */
  query?: string
  /** The query parameter with the name of the network. */
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
  // `solscan.io/account/<address>` is not listed, because almost all of those addresses are wallets.
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

/** The shape of links to all other hosts: the path segment after `token` is the address of a token. */
const shapesOfOthers: readonly LinkShape[] = [{ path: ['token', address], kind: 'token' }]

/** Returns the link shapes of a host. `host` is in lower case and without `www.`. */
export const shapesOf = (host: string): readonly LinkShape[] =>
  Object.hasOwn(shapesOfHost, host) ? (shapesOfHost[host] ?? []) : shapesOfOthers

export const chatHosts: ReadonlySet<string> = new Set(['t.me', 'telegram.me', 'telegram.dog'])

/** The query parameters of a chat link that starts a bot or its app. The value may contain a token address. */
export const startParameters = ['start', 'startapp', 'startgroup'] as const

/**
 * Values of a start parameter that begin with one of these words are ignored. The address in them is a
 * wallet, or the account that first called a token.
 */
export const otherStarts: readonly string[] = ['pfdev', 'dev', 'wallet', 'call', 'twit']

/**
 * Words that appear in a path where the name of the network is expected. The address after such a word is a
 * wallet.
 */
export const otherSections: ReadonlySet<string> = new Set(['wallet'])

/**
 * Bots whose links may contain the address of a trading pair instead of the token address. This happens on
 * EVM chains only.
 */
export const botsOfPairs: readonly string[] = ['rickburpbot']
