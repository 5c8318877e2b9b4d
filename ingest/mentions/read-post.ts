/** Reads everything from one post that needs no address book. Pure. */
import type { CardRead, Mentioned, MentionKind } from '../../schemas/calls/facts.ts'
import type { ChatFact, PostContent } from '../../schemas/chats/facts.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { type NamedAddress, namedAddresses } from './addresses/named-addresses.ts'
import { plainTextOf } from './addresses/plain-text.ts'
import { withoutPoolHolders } from './cards/pool-holders.ts'
import { asPosted, readCard, type ScannerCard } from './cards/read-card.ts'
import { kindOf } from './kind.ts'
import { parserVersion } from './parser-version.ts'
import type { NamedToken } from './tokens.ts'

/** A post or an edit that names an address, or is a card about the post that it answers. */
export type ReadPost = Readonly<{
  content: Omit<PostContent, 'text' | 'entities' | 'buttons'>
  seenAtMs: EpochMs
  /**
   * When ingest had it in the log. This is later than `seenAtMs` if it was read from the history of a simulated chat.
   */
  knownAtMs: EpochMs
  /** Null if it is the post itself. */
  editedAtMs: EpochMs | null
  named: readonly NamedAddress[]
  kind: MentionKind
  card: ScannerCard | null
}>

/** Null if it is no post, or says nothing about a token. */
export function readPost({ type, data }: ChatFact): ReadPost | null {
  if (type !== 'PostSeen' && type !== 'PostEdited') return null
  const named = namedAddresses(data)
  const isAnswer = isAnswerOfBot({ content: data })
  if (named.length === 0 && !isAnswer) return null
  const { text } = plainTextOf(withoutPoolHolders(data, named))
  const card = readCard(text, data.posterName)
  if (named.length === 0 && card === null) return null
  const { chat, post, chatName, poster, posterName, postedAtMs, replyTo, origin, isLate } = data
  return {
    content: { chat, post, chatName, poster, posterName, postedAtMs, replyTo, origin, isLate },
    seenAtMs: data.blockAtMs,
    knownAtMs: data.blockAtMs,
    editedAtMs: 'editedAtMs' in data ? data.editedAtMs : null,
    named,
    kind: kindOf(text),
    card: card && asPosted(card, data.posterName),
  }
}

/** A post known later than this after it was posted comes from a history. */
const lateAfterMs = 120_000

/** Only the first tokens of a post get mentions. */
export const mentionsMax = 20

/**
 * The tokens that a post is about, among those that it names. A card is about one token, and the other addresses on it
 * are wallets. But a list written by a person may look like a card of an unknown layout.
 */
function tokensAbout({ card, content }: ReadPost, tokens: readonly NamedToken[]): readonly NamedToken[] {
  const isOfOne = card !== null && (card.bot !== 'unknown' || content.posterName !== null)
  return tokens.slice(0, isOfOne ? 1 : mentionsMax)
}

/** A bot that knows the token shows its card, so it is a token, whatever its network. */
export const isOnCard = ({ card }: Pick<ReadPost, 'card'>): boolean => card !== null && card.bot !== 'unknown'

/** An answer of a bot to a post is not a mention of its own. */
export const isAnswerOfBot = ({
  content,
}: Readonly<{ content: Pick<PostContent, 'posterName' | 'replyTo'> }>): boolean =>
  content.posterName !== null && content.replyTo !== null

type MentionFact = Readonly<{ type: 'Mentioned'; data: Mentioned }> | Readonly<{ type: 'CardRead'; data: CardRead }>
export type TokenFact = Readonly<{ named: NamedToken; fact: MentionFact }>

/** What is known about a post. */
type Known = Readonly<{
  /**
   * The tokens among the named addresses, in the order of `namedTokens`. For a card that names none, the token of the
   * post that it answers.
   */
  tokens: readonly NamedToken[]
  hasCodeOf?: (named: NamedToken) => boolean | null
}>

export function factsOf(
  read: ReadPost,
  { tokens, hasCodeOf = () => null }: Known,
  answeredAtMs: EpochMs,
): readonly TokenFact[] {
  const about = tokensAbout(read, tokens)
  const [first] = about
  const { card, content, editedAtMs } = read
  const { chat, post, postedAtMs, replyTo } = content
  const seenAtMs = Math.max(read.seenAtMs, read.knownAtMs)
  const common = { chat, post, seenAtMs, parserVersion, answeredAtMs }
  const cards: TokenFact[] =
    card === null || first === undefined
      ? []
      : [{ named: first, fact: { type: 'CardRead', data: { ...common, ...card, postedAtMs, editedAtMs, replyTo } } }]
  if (isAnswerOfBot(read)) return cards
  const { chatName, poster, origin } = content
  const saidAtMs = editedAtMs ?? postedAtMs
  const tokenCount = about.length === 1 ? 1 : tokens.length
  const mentions = about.map(
    (named): TokenFact => ({
      named,
      fact: {
        type: 'Mentioned',
        data: {
          ...common,
          chatName,
          poster,
          kind: read.kind,
          postedAtMs: saidAtMs,
          isEditedIn: editedAtMs !== null,
          isLate: content.isLate || seenAtMs - saidAtMs > lateAfterMs,
          tokenCount,
          source: named.source,
          originChat: origin?.chat ?? null,
          originAtMs: origin?.postedAtMs ?? null,
          isTracked: named.isTracked,
          hasCode: hasCodeOf(named),
          isFollowed: true,
        },
      },
    }),
  )
  return [...mentions, ...cards]
}
