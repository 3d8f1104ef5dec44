/**
 * Places the nodes of a layered graph: layers from left to right, the nodes of each ordered so that few edges cross.
 * The same graph always gets the same places.
 */

export interface GraphNode {
  readonly id: string
  /** Layers without nodes take no space */
  readonly layer: number
}

/** Leads to a later layer. */
export interface GraphEdge {
  readonly from: string
  readonly to: string
}

export interface Sizes {
  readonly nodeWidth: number
  readonly nodeHeight: number
  readonly layerGap: number
  readonly nodeGap: number
}

export interface PlacedNode<N> {
  readonly node: N
  readonly x: number
  readonly y: number
}

export interface Layout<N, E> {
  /** From left to right, each from top to bottom */
  readonly columns: readonly (readonly PlacedNode<N>[])[]
  /** With the path to draw (SVG) */
  readonly edges: readonly { readonly edge: E; readonly path: string }[]
  readonly width: number
  readonly height: number
}

/** The keys of one layer: nodes, and the places where edges to later layers pass through. */
type Column = readonly string[]
type Segment = readonly [from: string, to: string]

const SWEEPS = 6
const LAST = Number.MAX_SAFE_INTEGER

const collect = (pairs: readonly Segment[]): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>()
  for (const [key, other] of pairs) found.set(key, [...(found.get(key) ?? []), other])
  return found
}

const placesOf = (column: Column): ReadonlyMap<string, number> =>
  new Map(column.map((key, index) => [key, index]))

/** Returns how many pairs of segments between two neighbouring layers cross. */
const crossings = (columns: readonly Column[], segments: readonly Segment[]): number => {
  const place = new Map(columns.flatMap((column) => [...placesOf(column)]))
  const rank = new Map(columns.flatMap((column, index) => column.map((key) => [key, index] as const)))
  const at = (key: string): number => place.get(key) ?? 0
  let count = 0
  for (const [index, [from, to]] of segments.entries())
    for (const [otherFrom, otherTo] of segments.slice(index + 1))
      if (rank.get(from) === rank.get(otherFrom) && (at(from) - at(otherFrom)) * (at(to) - at(otherTo)) < 0)
        count++
  return count
}

/** Orders each layer by the mean place of what it is connected with on one side, back and forth; the best order wins. */
const ordered = (columns: readonly Column[], segments: readonly Segment[]): readonly Column[] => {
  const before = collect(segments.map(([from, to]) => [to, from]))
  const after = collect(segments)
  const isAlone = (key: string): boolean => !before.has(key) && !after.has(key)
  const arrange = (column: Column, beside: Column, neighbours: typeof before): Column => {
    const places = placesOf(beside)
    const mean = new Map(
      column.map((key, index) => {
        const near = (neighbours.get(key) ?? []).map((other) => places.get(other) ?? 0)
        if (near.length > 0) return [key, near.reduce((sum, place) => sum + place, 0) / near.length]
        return [key, isAlone(key) ? LAST : index]
      }),
    )
    return [...column].sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0))
  }
  let current: readonly Column[] = columns.map((column) => [
    ...column.filter((key) => !isAlone(key)),
    ...column.filter(isAlone),
  ])
  let best = { columns: current, crossed: crossings(current, segments) }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forth = sweep % 2 === 0
    const ranks = current.map((_, rank) => rank)
    const next = [...current]
    for (const rank of forth ? ranks : ranks.reverse()) {
      const beside = next[forth ? rank - 1 : rank + 1]
      const column = next[rank]
      if (beside !== undefined && column !== undefined)
        next[rank] = arrange(column, beside, forth ? before : after)
    }
    current = next
    const crossed = crossings(current, segments)
    if (crossed < best.crossed) best = { columns: current, crossed }
  }
  return best.columns
}

const written = (value: number): string => String(Math.round(value * 10) / 10)

/** Returns the places of the nodes and the paths of the edges. */
export const layoutOf = <N extends GraphNode, E extends GraphEdge>(
  nodes: readonly N[],
  edges: readonly E[],
  { nodeWidth, nodeHeight, layerGap, nodeGap }: Sizes,
): Layout<N, E> => {
  const layers = [...new Set(nodes.map(({ layer }) => layer))].sort((a, b) => a - b)
  const byKey = new Map(nodes.map((node) => [node.id, node]))
  const rankOf = (id: string): number => layers.indexOf(byKey.get(id)?.layer ?? -1)
  const columns = layers.map((layer) => nodes.filter((node) => node.layer === layer).map(({ id }) => id))
  // An edge over several layers keeps a place free in those between, so that it passes behind no node.
  const routes = edges.map((edge) => {
    const bends: string[] = []
    for (let rank = rankOf(edge.from) + 1; rank < rankOf(edge.to); rank++) {
      const key = `${edge.from} ${edge.to} ${String(rank)}`
      columns[rank]?.push(key)
      bends.push(key)
    }
    return { edge, keys: [edge.from, ...bends, edge.to] }
  })
  const segments = routes.flatMap(({ keys }) =>
    keys.slice(1).map((key, index): Segment => [keys[index] ?? key, key]),
  )

  const heightOf = (key: string): number => (byKey.has(key) ? nodeHeight : 0)
  const heights = (column: Column): number =>
    column.reduce((sum, key) => sum + heightOf(key), nodeGap * Math.max(0, column.length - 1))
  const inOrder = ordered(columns, segments)
  const height = Math.max(0, ...inOrder.map(heights))
  const places = new Map<string, { readonly x: number; readonly y: number }>()
  for (const [rank, column] of inOrder.entries()) {
    let y = (height - heights(column)) / 2
    for (const key of column) {
      places.set(key, { x: rank * (nodeWidth + layerGap), y })
      y += heightOf(key) + nodeGap
    }
  }

  const pathOf = (keys: readonly string[]): string =>
    keys
      .map((key, index) => {
        const { x, y } = places.get(key) ?? { x: 0, y: 0 }
        const middle = y + heightOf(key) / 2
        const leave = written(x + nodeWidth)
        if (index === 0) return `M${leave} ${written(middle)}`
        const { y: y0 } = places.get(keys[index - 1] ?? '') ?? { y: 0 }
        const middle0 = y0 + heightOf(keys[index - 1] ?? '') / 2
        const turn = written(x - layerGap / 2)
        const curve = `C${turn} ${written(middle0)} ${turn} ${written(middle)} ${written(x)} ${written(middle)}`
        return index === keys.length - 1 ? curve : `${curve}H${leave}`
      })
      .join('')

  return {
    columns: inOrder.map((column) =>
      column.flatMap((key) => {
        const node = byKey.get(key)
        const place = places.get(key)
        return node === undefined || place === undefined ? [] : [{ node, ...place }]
      }),
    ),
    edges: routes.map(({ edge, keys }) => ({ edge, path: pathOf(keys) })),
    width: Math.max(0, layers.length * (nodeWidth + layerGap) - layerGap),
    height,
  }
}

/**
 * Returns the node that a key leads to: left and right along the edges, to the nearest end; up and down in the same
 * layer; Home and End to its first and last node. Null if it leads nowhere.
 */
export const nodeAfterKey = <N extends GraphNode, E extends GraphEdge>(
  { columns, edges }: Layout<N, E>,
  id: string,
  key: string,
): N | null => {
  const column = columns.find((one) => one.some(({ node }) => node.id === id)) ?? []
  const index = column.findIndex(({ node }) => node.id === id)
  const from = column[index]
  if (from === undefined) return null
  const nearest = (ids: ReadonlySet<string>): N | null => {
    const ends = columns.flat().filter(({ node }) => ids.has(node.id))
    const distance = ({ y }: PlacedNode<N>): number => Math.abs(y - from.y)
    return ends.sort((a, b) => distance(a) - distance(b))[0]?.node ?? null
  }
  switch (key) {
    case 'ArrowRight':
      return nearest(new Set(edges.filter(({ edge }) => edge.from === id).map(({ edge }) => edge.to)))
    case 'ArrowLeft':
      return nearest(new Set(edges.filter(({ edge }) => edge.to === id).map(({ edge }) => edge.from)))
    case 'ArrowDown':
      return column[index + 1]?.node ?? null
    case 'ArrowUp':
      return column[index - 1]?.node ?? null
    case 'Home':
      return column[0]?.node ?? null
    case 'End':
      return column.at(-1)?.node ?? null
    default:
      return null
  }
}

/** Returns the edges of all paths that lead through a node. */
export const edgesThrough = <E extends GraphEdge>(edges: readonly E[], id: string): ReadonlySet<E> => {
  const found = new Set<E>()
  const follow = (ids: readonly string[], near: 'from' | 'to', far: 'from' | 'to'): void => {
    const next = edges.filter((edge) => ids.includes(edge[near]))
    for (const edge of next) found.add(edge)
    if (next.length > 0)
      follow(
        next.map((edge) => edge[far]),
        near,
        far,
      )
  }
  follow([id], 'from', 'to')
  follow([id], 'to', 'from')
  return found
}
