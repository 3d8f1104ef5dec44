/**
 * Runs work for each item, some at a time, in their order.
 * @throws what the work throws; items of later parts are left out then
 */
export const someAtATime = async <Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += size)
    results.push(...(await Promise.all(items.slice(from, from + size).map(work))))
  return results
}
