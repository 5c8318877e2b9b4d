/**
 * Requests answers with two requests open at a time, because the embedded database can run two queries in
 * parallel. The answers are in the order of `asked`.
 */
export async function twoAtATime<Asked, Sold>(
  asked: readonly Asked[],
  buy: (one: Asked) => Promise<Sold>,
): Promise<readonly Sold[]> {
  const sold: Sold[] = []
  const left = asked.entries()
  const buyer = async () => {
    for (const [index, one] of left) sold[index] = await buy(one)
  }
  await Promise.all([buyer(), buyer()])
  return sold
}
