import { expect } from 'chai'
import fc from 'fast-check'
import {
  edgesThrough,
  layoutOf,
  nodeAfterKey,
  type GraphEdge,
  type GraphNode,
} from '../../../adapters/inbound/web/browser/console/access-graph-layout.ts'
import {
  graphOfApplication,
  graphOfGroup,
  graphOfUser,
  MOST,
} from '../../../adapters/inbound/web/browser/console/access-graph-model.ts'

const sizes = { nodeWidth: 100, nodeHeight: 40, layerGap: 50, nodeGap: 10 }

/** Nodes named by layer and number, such as `0a`. */
const nodesOf = (...ids: readonly string[]): readonly GraphNode[] =>
  ids.map((id) => ({ id, layer: Number(id[0]) }))
const edgesOf = (...pairs: readonly string[]): readonly GraphEdge[] =>
  pairs.map((pair) => ({ from: pair.slice(0, 2), to: pair.slice(3) }))

describe('the layout of the access graph', () => {
  const idsOf = (layout: ReturnType<typeof layoutOf>) =>
    layout.columns.map((column) => column.map(({ node }) => node.id))

  it('places layers from left to right, and leaves out those without nodes', () => {
    const layout = layoutOf(nodesOf('0a', '2a', '3a'), edgesOf('0a-2a', '2a-3a'), sizes)
    expect(layout.columns.map(([first]) => [first?.node.id, first?.x])).to.deep.equal([
      ['0a', 0],
      ['2a', 150],
      ['3a', 300],
    ])
    expect(layout).to.include({ width: 400, height: 40 })
    expect(layout.edges.map(({ path }) => path)).to.deep.equal([
      'M100 20C125 20 125 20 150 20',
      'M250 20C275 20 275 20 300 20',
    ])
  })

  it('orders the nodes of a layer so that edges do not cross without need', () => {
    const nodes = nodesOf('0a', '0b', '0c', '1a', '1b', '1c')
    expect(idsOf(layoutOf(nodes, edgesOf('0a-1c', '0b-1b', '0c-1a'), sizes))).to.deep.equal([
      ['0a', '0b', '0c'],
      ['1c', '1b', '1a'],
    ])
  })

  it('keeps a node without edges last', () => {
    const nodes = nodesOf('0a', '0b', '0c', '1a')
    expect(idsOf(layoutOf(nodes, edgesOf('0b-1a', '0c-1a'), sizes))[0]).to.deep.equal(['0b', '0c', '0a'])
  })

  it('leads an edge over a layer past the nodes in it', () => {
    const layout = layoutOf(nodesOf('0a', '1a', '2a'), edgesOf('0a-1a', '1a-2a', '0a-2a'), sizes)
    const between = layout.columns[1]?.[0]
    const passing = layout.edges.find(({ edge }) => edge.from === '0a' && edge.to === '2a')
    const y = Number(/ ([\d.]+)H/.exec(passing?.path ?? '')?.[1])
    expect(between?.y).to.equal(0)
    expect(y).to.be.greaterThan(sizes.nodeHeight)
    expect(layout.height).to.equal(sizes.nodeHeight + sizes.nodeGap)
  })

  const graphs = fc
    .array(fc.record({ layer: fc.nat(3), number: fc.nat(9) }), { minLength: 1, maxLength: 30 })
    .chain((drawn) => {
      const ids = [...new Set(drawn.map(({ layer, number }) => `${String(layer)}${String(number)}`))]
      const pairs = ids.flatMap((from) =>
        ids.filter((to) => Number(from[0]) < Number(to[0])).map((to) => `${from}-${to}`),
      )
      return fc.record({ ids: fc.constant(ids), pairs: fc.subarray(pairs) })
    })

  it('never lets nodes overlap or leave the drawing, and depends on nothing but the graph', () => {
    fc.assert(
      fc.property(graphs, ({ ids, pairs }) => {
        const [nodes, edges] = [nodesOf(...ids), edgesOf(...pairs)]
        const layout = layoutOf(nodes, edges, sizes)
        expect(layoutOf(nodes, edges, sizes)).to.deep.equal(layout)
        expect(layout.columns.flat().map(({ node }) => node.id)).to.have.members(ids)
        for (const column of layout.columns)
          for (const [index, { x, y }] of column.entries()) {
            expect(x + sizes.nodeWidth).to.be.at.most(layout.width)
            expect(y + sizes.nodeHeight).to.be.at.most(layout.height)
            expect(y).to.be.at.least(
              index === 0 ? 0 : (column[index - 1]?.y ?? 0) + sizes.nodeHeight + sizes.nodeGap,
            )
          }
        const placeOf = new Map(layout.columns.flat().map((placed) => [placed.node.id, placed]))
        for (const { edge, path } of layout.edges) {
          const [from, to] = [placeOf.get(edge.from), placeOf.get(edge.to)]
          expect(path).to.match(
            new RegExp(`^M${String((from?.x ?? 0) + 100)} ${String((from?.y ?? 0) + 20)}C`),
          )
          expect(path).to.match(new RegExp(` ${String(to?.x)} ${String((to?.y ?? 0) + 20)}$`))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('walks along edges, and between the nodes of a layer', () => {
    const nodes = nodesOf('0a', '1a', '1b', '1c', '2a')
    const layout = layoutOf(nodes, edgesOf('0a-1a', '0a-1b', '0a-1c', '1c-2a'), sizes)
    const steps: readonly (readonly [from: string, key: string, to: string | null])[] = [
      ['0a', 'ArrowRight', '1b'],
      ['1b', 'ArrowDown', '1c'],
      ['1c', 'ArrowDown', null],
      ['1c', 'ArrowRight', '2a'],
      ['2a', 'ArrowRight', null],
      ['2a', 'ArrowLeft', '1c'],
      ['1c', 'Home', '1a'],
      ['1a', 'End', '1c'],
      ['1a', 'ArrowUp', null],
      ['1a', 'ArrowLeft', '0a'],
      ['1a', 'Enter', null],
      ['9z', 'ArrowLeft', null],
    ]
    for (const [from, key, to] of steps)
      expect(nodeAfterKey(layout, from, key)?.id ?? null, `${from} ${key}`).to.equal(to)
  })

  it('marks the paths through a node, not those past it', () => {
    const edges = edgesOf('0a-1a', '1a-2a', '0a-2a', '2a-3a', '0b-2a')
    expect([...edgesThrough(edges, '1a')].map(({ from, to }) => `${from}-${to}`)).to.have.members([
      '1a-2a',
      '2a-3a',
      '0a-1a',
    ])
  })
})

describe('the access graph', () => {
  const path = (groupId: string, via: 'assigned' | 'rule') => ({
    groupId,
    groupName: `Group ${groupId}`,
    via,
  })
  const pairs = ({ edges }: ReturnType<typeof graphOfUser>) => edges.map(({ from, to }) => `${from} ${to}`)

  it('of a user leads through rules and groups to applications, and shows what is blocked', () => {
    const graph = graphOfUser(
      { id: 'ada', name: 'Ada' },
      [
        {
          applicationId: 'payroll',
          name: 'Payroll',
          reaches: true,
          via: [path('g', 'rule'), path('g', 'assigned'), path('h', 'assigned')],
        },
        {
          applicationId: 'wiki',
          name: 'Wiki',
          reaches: false,
          via: [path('h', 'assigned')],
        },
      ],
      '#list',
    )
    expect(pairs(graph)).to.deep.equal([
      'ada rule-g',
      'rule-g g',
      'g payroll',
      'ada g',
      'ada h',
      'h payroll',
      'h wiki',
    ])
    expect(graph.nodes.filter(({ isBlocked }) => isBlocked).map(({ id }) => id)).to.deep.equal(['wiki'])
    expect(graph.nodes.find(({ id }) => id === 'g')?.via).to.deep.equal(['rule', 'assigned'])
    expect(graph.nodes.map(({ to }) => to)).to.include('/console/groups/g?tab=rule')
  })

  it('of an application shows the first users, and how many more there are', () => {
    const people = Array.from({ length: MOST + 3 }, (_, n) => ({
      userId: `u${String(n)}`,
      name: `User ${String(n)}`,
      reaches: true,
      via: [path('g', 'assigned')],
    }))
    const hiddenOf = (isAll: boolean, count: number) =>
      graphOfApplication({ id: 'app', name: 'App' }, people.slice(0, count), isAll, '#list').nodes.flatMap(
        ({ hidden, to }) => (hidden === null ? [] : [{ ...hidden, to }]),
      )
    expect(hiddenOf(true, MOST + 3)).to.deep.equal([{ count: 3, isAtLeast: false, to: '#list' }])
    expect(hiddenOf(false, MOST + 3)).to.deep.equal([{ count: 3, isAtLeast: true, to: '#list' }])
    expect(hiddenOf(true, MOST)).to.deep.equal([])
  })

  it('of a group counts the members and applications that it does not show', () => {
    const member = { userId: 'ada', name: 'Ada', status: 'suspended' }
    const graph = graphOfGroup(
      { id: 'g', name: 'G', memberCount: 121, applicationCount: 1 },
      [
        { ...member, via: 'rule' },
        { ...member, via: 'assigned' },
      ],
      [{ id: 'app', name: 'App', status: 'active' }],
    )
    expect(pairs(graph)).to.deep.equal(['ada rule-g', 'rule-g g', 'ada g', 'g app'])
    expect(graph.nodes.filter(({ isBlocked }) => isBlocked).map(({ id }) => id)).to.deep.equal([
      'ada',
      'rule-g',
    ])
    expect(graph.nodes.map(({ hidden }) => hidden?.count).filter(Boolean)).to.deep.equal([120])
  })
})
