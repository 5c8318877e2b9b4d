/** Makes the texts of the simulated posts, including the messages of bots. */
import type { PostContent } from '../../../schemas/chats/facts.ts'
import type { Random } from '../../simulated/random.ts'

export type Text = Pick<PostContent, 'text' | 'entities' | 'buttons'>

const plain = (text: string): Text => ({ text, entities: [], buttons: [] })

const linkOf = (token: string): string =>
  token.startsWith('0x') ? `https://dexscreener.com/robinhood/${token}` : `https://pump.fun/coin/${token}`

/**
 * Returns the text of a call (a recommendation of a token). The token's address is alone, with words, in a
 * link, on a button, or split over two lines.
 */
export function callText(token: string, random: Random): Text {
  const words = random.pick(['aping this', 'small bag here', 'looks early', 'dev is based', 'chart is clean'])
  switch (random.whole(0, 6)) {
    case 0:
    case 1:
      return plain(token)
    case 2:
    case 3:
      return plain(`${words}\n\nCA: ${token}`)
    case 4: {
      const text = `${words} – chart`
      return { text, entities: [{ offset: text.length - 5, length: 5, url: linkOf(token) }], buttons: [] }
    }
    case 5:
      return { ...plain(words), buttons: [{ text: 'Chart', url: linkOf(token), data: null }] }
    default:
      return plain(`${words}\n${token.slice(0, 21)}\n${token.slice(21)}`)
  }
}

/** Returns a text with a random address that is not a token, as if somebody posted the address of a wallet. */
export const strayText = (random: Random): Text =>
  plain(`send it here 0x${Array.from({ length: 40 }, () => random.whole(0, 15).toString(16)).join('')}`)

export const listText = (tokens: readonly string[]): Text => plain(`watchlist tonight\n${tokens.join('\n')}`)

export const teaserText = plain('big one in a minute, address below')

export const recallText = (token: string): Text => plain(`another entry on this one, still early\n${token}`)

export const bragText = (token: string, percent: number): Text =>
  plain(`📈 up ${percent}% since our call 🚀 is up ${percent}%\n${token}`)

export const chatterText = (random: Random): Text =>
  plain(random.pick(['gm', 'who is in?', 'do your own research', 'rugged again', 'any news on the last one?']))

export const placeholderText = plain('⏳ Loading bundle data...')

export type CardBot = Readonly<{ name: string; textOf(token: string, random: Random): Text }>

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`
const shareOf = (most: number, random: Random): number => Math.round(most * random.unit() ** 2 * 1000) / 1000

/**
 * Simulated bots that post cards (messages with data of a token). The names and layouts are those of real
 * bots. The values on the cards are made up.
 */
export const cardBots: readonly [CardBot, ...CardBot[]] = [
  {
    name: 'phanes_bot',
    textOf: (token, random) =>
      plain(
        [
          '🧬 Simulated ($SIM)\n📊 Token Stats',
          ` ├ MC:   $${random.whole(8, 200)}.${random.whole(0, 9)}K`,
          ` ├ HLD:  ${random.whole(20, 900)}`,
          `🛡 Audit ${random.whole(4, 10)}/10`,
          `🔴 Top 10 Holders [${percent(0.1 + shareOf(0.5, random))}]`,
          `🔴 Bundled [${percent(shareOf(0.6, random))}]`,
          ...(random.chance(0.7) ? [`🟠 Sniped [${percent(shareOf(0.3, random))}]`] : []),
          '',
          token,
        ].join('\n'),
      ),
  },
  {
    name: 'RickBurpBot',
    textOf: (token, random) => {
      const top = 2 + Math.round(40 * random.unit()) / 10
      return plain(
        [
          '💊 Simulated - $SIM',
          `💎 FDV: ${random.whole(8, 400)}.${random.whole(0, 9)}K 🕰️ ${random.whole(1, 59)}m`,
          `👥 TH: ${top}⋅${top - 0.3}⋅${top - 0.5}⋅1.2⋅1.1 [${random.whole(12, 60)}%]`,
          `Total: ${random.whole(20, 900)} ⋅ avg ${random.whole(1, 50)}w old`,
          `🌱 Fresh 1D: ${random.whole(0, 30)}% ⋅ 7D: ${random.whole(5, 50)}%`,
          token,
        ].join('\n'),
      )
    },
  },
  {
    name: 'soul_scanner_bot',
    textOf: (token, random) => ({
      text: [
        '💠  Simulated • $SIM',
        `👥 Hodls: ${random.whole(20, 900)}`,
        `📦 /Bundles: ${random.whole(0, 30)} • ${random.whole(10, 110)}% → ${random.whole(0, 30)}%`,
        `🔫 Snipers: ${random.whole(0, 40)} • ${random.whole(5, 40)}% → ${random.whole(0, 9)}% 🤍`,
        `🛠️ Dev: ${random.whole(0, 90)} SOL | ${random.whole(0, 8)}% $SIM`,
      ].join('\n'),
      entities: [{ offset: 4, length: 9, url: `https://soulterminal.ai/token/${token}` }],
      buttons: [{ text: 'Trade', url: `https://t.me/soul_scanner_bot?start=${token}`, data: null }],
    }),
  },
]
