/** Reads one post of a chat, without the topic of known addresses. The functions here have no side effects. */
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

/**
 * A post that names an address, or a card (a token summary) that a bot posted in answer to another post. It
 * may be an edited version of a post.
 */
export type ReadPost = Readonly<{
  content: Omit<PostContent, 'text' | 'entities' | 'buttons'>
  seenAtMs: EpochMs
  /**
   * The time at which the service recorded the post. It is later than `seenAtMs` if the post was read from
   * the history of a simulated chat.
   */
  knownAtMs: EpochMs
  /** The time of the edit. Null if the post is not edited. */
  editedAtMs: EpochMs | null
  named: readonly NamedAddress[]
  kind: MentionKind
  card: ScannerCard | null
}>

/**
 * Returns the addresses and the card in a post. Null if the fact is no post, or if the post contains neither.
 */
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

/**
 * The minimum time between posting and recording with which a post counts as late, in milliseconds. Ingest
 * read such a post from the chat's history.
 */
const lateAfterMs = 120_000

/** The maximum number of tokens that a post can mention. Further tokens of the post are ignored. */
export const mentionsMax = 20

/**
 * Returns the tokens that the post is about. A card is about its first token, because the other addresses on
 * it are wallets. For a post that only looks like a card, all tokens are returned. Such a post has an unknown
 * layout and no bot as poster, so it may be a person's list.
 */
function tokensAbout({ card, content }: ReadPost, tokens: readonly NamedToken[]): readonly NamedToken[] {
  const isOfOne = card !== null && (card.bot !== 'unknown' || content.posterName !== null)
  return tokens.slice(0, isOfOne ? 1 : mentionsMax)
}

/**
 * Whether the post is a card in a known layout. Bots post cards only of tokens that they know, so the address
 * on it is certainly a token.
 */
export const isOnCard = ({ card }: Pick<ReadPost, 'card'>): boolean => card !== null && card.bot !== 'unknown'

/** Whether the post is an answer of a bot to another post. Such a post does not recommend a token. */
export const isAnswerOfBot = ({
  content,
}: Readonly<{ content: Pick<PostContent, 'posterName' | 'replyTo'> }>): boolean =>
  content.posterName !== null && content.replyTo !== null

type MentionFact = Readonly<{ type: 'Mentioned'; data: Mentioned }> | Readonly<{ type: 'CardRead'; data: CardRead }>
export type TokenFact = Readonly<{ named: NamedToken; fact: MentionFact }>

/** What is known about a post's tokens: from the topic `addresses` and from lookups at the node. */
type Known = Readonly<{
  /**
   * The tokens that the post names, in the order of `namedTokens`. If a card names no token, this is the
   * token of the post that the card answers.
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
