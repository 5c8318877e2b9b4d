/** All that is read out of one post, before any book is asked. Pure. */
import type { CardRead, Mentioned, MentionKind } from '../../schemas/calls/facts.ts'
import type { ChatFact, PostContent } from '../../schemas/chats/facts.ts'
import { type NamedAddress, namedAddresses } from './addresses/named-addresses.ts'
import { plainTextOf } from './addresses/plain-text.ts'
import { withoutPoolHolders } from './cards/pool-holders.ts'
import { asPosted, readCard, type ScannerCard } from './cards/read-card.ts'
import { kindOf } from './kind.ts'
import { parserVersion } from './parser-version.ts'
import type { NamedToken } from './tokens.ts'

/** A post, or an edit of one, that names an address or is a card about the post that it answers. */
export type ReadPost = Readonly<{
  content: Omit<PostContent, 'text' | 'entities' | 'buttons'>
  seenAtMs: number
  /** When ingest had it in the log: later than it was seen, where it was read from the history of a simulated chat. */
  knownAtMs: number
  /** Null: it is the post itself. */
  editedAtMs: number | null
  named: readonly NamedAddress[]
  kind: MentionKind
  card: ScannerCard | null
}>

/** Null: no post, or one that says nothing of a token. */
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

/** Whoever knows of it later than this after it was posted has it from a history. */
const lateAfterMs = 120_000

/** A post that names more tokens gets mentions of the first ones. */
export const mentionsMax = 20

/**
 * The tokens that a post is about, of those that it names. A card is about one: the other addresses on it are wallets. A list
 * that a person wrote may look like a card of a layout that nobody knows.
 */
function tokensAbout({ card, content }: ReadPost, tokens: readonly NamedToken[]): readonly NamedToken[] {
  const isOfOne = card !== null && (card.bot !== 'unknown' || content.posterName !== null)
  return tokens.slice(0, isOfOne ? 1 : mentionsMax)
}

/** A bot that knows the token shows its card: it is one, on whatever network. */
export const isOnCard = ({ card }: Pick<ReadPost, 'card'>): boolean => card !== null && card.bot !== 'unknown'

/** What a bot answers to somebody’s post is no mention of its own. */
export const isAnswerOfBot = ({
  content,
}: Readonly<{ content: Pick<PostContent, 'posterName' | 'replyTo'> }>): boolean =>
  content.posterName !== null && content.replyTo !== null

type MentionFact = Readonly<{ type: 'Mentioned'; data: Mentioned }> | Readonly<{ type: 'CardRead'; data: CardRead }>
export type TokenFact = Readonly<{ named: NamedToken; fact: MentionFact }>

/** What was found out about a post. */
type Known = Readonly<{
  /** What the named addresses are, as `namedTokens` orders them; of a card without any, what the post says that it answers. */
  tokens: readonly NamedToken[]
  hasCodeOf?: (named: NamedToken) => boolean | null
}>

export function factsOf(
  read: ReadPost,
  { tokens, hasCodeOf = () => null }: Known,
  answeredAtMs: number,
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
