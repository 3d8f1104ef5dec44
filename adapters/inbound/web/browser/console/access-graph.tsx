/** Who can reach what, and why, drawn from left to right: user, rule, group, application. Each node is a link. */
import { useId, useMemo, useState, type KeyboardEvent } from 'react'
import { Link } from 'wouter'
import { edgesThrough, layoutOf, nodeAfterKey } from './access-graph-layout.ts'
import type { AccessGraphModel, AccessNode, Via } from './access-graph-model.ts'
import styles from './access-graph.module.css'
import { accessGraphTexts } from './access-graph-texts.ts'
import { PageLink } from './kit/link.tsx'
import { usePathAt } from './moment.tsx'
import { useReader, useTexts } from './text.tsx'

/** In multiples of the reader's font size. */
const sizes = { nodeWidth: 11.25, nodeHeight: 3.25, layerGap: 3.5, nodeGap: 0.75 }
const HEAD = 2
const MARGIN = 0.5
/** The most names that the description of a node lists. */
const MOST_NAMES = 5

interface Described {
  readonly node: AccessNode
  readonly kind: string
  readonly title: string
  /** How its users became members, or that it is blocked */
  readonly state: string
  /** How it is connected; not shown in the drawing, which shows it */
  readonly connected: string
}

/** Returns what each node of a graph is and how it is connected, in words. */
const useDescriptions = ({ nodes, edges }: AccessGraphModel): ReadonlyMap<string, Described> => {
  const text = useTexts(accessGraphTexts)
  const { locale } = useReader()
  return useMemo(() => {
    const number = new Intl.NumberFormat(locale)
    const list = new Intl.ListFormat(locale, { type: 'conjunction' })
    const nameOf = new Map(nodes.map(({ id, name }) => [id, name]))
    const names = (ids: readonly string[]): string => {
      const all = [...new Set(ids.map((id) => nameOf.get(id) ?? ''))]
      const others = all.length - MOST_NAMES
      return list.format(others > 0 ? [...all.slice(0, MOST_NAMES), text.others(number.format(others))] : all)
    }
    const how: Readonly<Record<Via, string>> = { ...text, rule: text.viaRule }
    const connectionOf = (node: AccessNode): string => {
      const before = edges.filter(({ to }) => to === node.id).map(({ from }) => from)
      const after = edges.filter(({ from }) => from === node.id).map(({ to }) => to)
      switch (node.kind) {
        case 'user':
          return text.memberOf(names(after))
        case 'rule':
          return text.adds(names(before))
        case 'group':
          return after.length === 0 ? text.givesNothing : text.gives(names(after))
        case 'application':
          return text.reached(names(before))
      }
    }
    return new Map(
      nodes.map((node) => {
        const { id, kind, name, hidden, isBlocked } = node
        if (hidden !== null) {
          const count = number.format(hidden.count)
          const title = hidden.isAtLeast ? text.moreThan(count) : text.more(count)
          return [id, { node, kind: text[`${kind}s`], title, state: '', connected: '' }]
        }
        const blocked = isBlocked && (kind === 'user' || kind === 'application') ? text.blocked : ''
        const state = kind === 'group' ? node.via.map((one) => how[one]).join(', ') : blocked
        return [id, { node, kind: text[kind], title: name, state, connected: connectionOf(node) }]
      }),
    )
  }, [nodes, edges, text, locale])
}

/** Returns what a screen reader says: "Group Payroll, through rule; gives Payslips". */
const accessibleName = ({ node, kind, title, state, connected }: Described): string => {
  if (node.hidden !== null) return `${kind}, ${title}`
  return `${kind} ${title}${state === '' ? '' : `, ${state}`}; ${connected}`
}

/**
 * @param subject id of the record whose page shows the graph; the keyboard starts there
 * @param listId id of the element with the same facts as a list, where Escape leads
 */
export const AccessGraph = ({
  graph,
  subject,
  label,
  listId,
}: {
  readonly graph: AccessGraphModel
  readonly subject: string
  readonly label: string
  readonly listId: string
}) => {
  const text = useTexts(accessGraphTexts)
  const pathAt = usePathAt()
  const id = useId()
  const described = useDescriptions(graph)
  const [unit] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
  const [current, setCurrent] = useState(subject)
  const [pointed, setPointed] = useState<string | null>(null)
  const layout = useMemo(
    () =>
      layoutOf(graph.nodes, graph.edges, {
        nodeWidth: sizes.nodeWidth * unit,
        nodeHeight: sizes.nodeHeight * unit,
        layerGap: sizes.layerGap * unit,
        nodeGap: sizes.nodeGap * unit,
      }),
    [graph, unit],
  )
  const lit = edgesThrough(graph.edges, pointed ?? '')
  // A record that is gone from the graph takes the keyboard's place in it along.
  const reachable = described.has(current) ? current : (graph.nodes[0]?.id ?? '')
  const onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    if (event.key === 'Escape') {
      document.getElementById(listId)?.focus()
      return
    }
    const next = nodeAfterKey(layout, reachable, event.key)
    if (next === null) {
      if (event.key.startsWith('Arrow')) event.preventDefault()
      return
    }
    event.preventDefault()
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  const margin = MARGIN * unit
  const top = margin + HEAD * unit
  const width = layout.width + 2 * margin
  const height = layout.height + top + margin
  return (
    <div className={styles['graph']}>
      <p id={`${id}-keys`} className="hint">
        {text.keys}
      </p>
      <div
        className={styles['frame']}
        role="group"
        aria-label={label}
        aria-describedby={`${id}-keys`}
        onKeyDown={onKey}
      >
        <svg
          role="presentation"
          width={width}
          height={height}
          viewBox={`${String(-margin)} ${String(-top)} ${String(width)} ${String(height)}`}
        >
          <g aria-hidden="true">
            {layout.columns.map(([first]) =>
              first === undefined ? null : (
                <text key={first.node.layer} x={first.x} y={-0.75 * unit} className={styles['heading']}>
                  {text[`${first.node.kind}s`]}
                </text>
              ),
            )}
            {layout.edges.map(({ edge, path }) => (
              <path
                key={`${edge.from} ${edge.to}`}
                d={path}
                data-blocked={edge.isBlocked || undefined}
                data-lit={lit.has(edge) || undefined}
                className={styles['edge']}
              />
            ))}
          </g>
          {layout.columns.flat().map(({ node, x, y }) => {
            const about = described.get(node.id)
            if (about === undefined) return null
            const shared = {
              id: `${id}-${node.id}`,
              className: styles['node'] ?? '',
              'data-kind': node.hidden === null ? node.kind : 'hidden',
              'aria-label': accessibleName(about),
              'aria-current': node.id === subject ? ('page' as const) : undefined,
              title: about.title,
              tabIndex: node.id === reachable ? 0 : -1,
              onFocus: () => {
                setCurrent(node.id)
                setPointed(node.id)
              },
              onBlur: () => setPointed(null),
              onPointerEnter: () => setPointed(node.id),
              onPointerLeave: () => setPointed(null),
            }
            const content = (
              <>
                <span className={styles['kind']}>{about.kind}</span>{' '}
                <span className={styles['title']}>{about.title}</span>
                <span className={styles['state']}>{about.state && `, ${about.state}`}</span>
              </>
            )
            return (
              <foreignObject
                key={node.id}
                x={x}
                y={y}
                width={sizes.nodeWidth * unit}
                height={sizes.nodeHeight * unit}
                className={styles['place']}
              >
                {node.to.startsWith('#') ? (
                  <a {...shared} href={node.to}>
                    {content}
                  </a>
                ) : (
                  <Link {...shared} href={pathAt(node.to)}>
                    {content}
                  </Link>
                )}
              </foreignObject>
            )
          })}
        </svg>
      </div>
    </div>
  )
}

/** The facts of a graph as a list, in the order of the layers. */
export const AccessGraphList = ({ graph }: { readonly graph: AccessGraphModel }) => {
  const described = useDescriptions(graph)
  const inOrder = [...described.values()].sort((a, b) => a.node.layer - b.node.layer)
  return (
    <ul className={styles['list']}>
      {inOrder.map(({ node, kind, title, state, connected }) => (
        <li key={node.id}>
          {kind} <PageLink to={node.to}>{title}</PageLink>{' '}
          <span className="hint">{[state, connected].filter(Boolean).join('; ')}</span>
        </li>
      ))}
    </ul>
  )
}
