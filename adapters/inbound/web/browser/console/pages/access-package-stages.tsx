/** The way of a request, drawn: each stage with who decides, how long they have, and what follows. */
import { NamedLink } from '../record-links.tsx'
import type { AccessPackageRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { approverTypeNames, modeNames, usePackageTexts } from './access-packages-texts.ts'
import styles from './access-package-stages.module.css'

type Stage = AccessPackageRecord['approval']['stages'][number]

const Approvers = ({ stage: { approvers } }: { readonly stage: Stage }) => {
  const types = useTexts(approverTypeNames)
  const { type, ids } = approvers
  if (type !== 'users' && type !== 'groups') return <span>{types[type]}</span>
  return (
    <span>
      {ids.map((id, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <NamedLink kind={type} id={id} />
        </span>
      ))}
    </span>
  )
}

export const ApprovalStages = ({
  stages,
  current = null,
}: {
  readonly stages: readonly Stage[]
  /** From 1; the stage of a request that is undecided */
  readonly current?: number | null
}) => {
  const text = usePackageTexts()
  const modes = useTexts(modeNames)
  return (
    <ol className={styles['stages']} aria-label={text.drawn}>
      <li className={styles['end']}>{text.start}</li>
      {stages.map((stage, at) => (
        <li
          // Stages have no name but their number.
          key={String(at)}
          className={styles['stage']}
          aria-current={current === at + 1 ? 'step' : undefined}
        >
          <strong>{text.stage(String(at + 1))}</strong>
          <Approvers stage={stage} />
          <span className="hint">
            {modes[stage.mode]}, {text.within(String(stage.timeoutHours))},{' '}
            {stage.escalateTo === undefined ? text.orExpires : ''}
            {stage.escalateTo !== undefined && <NamedLink kind="users" id={stage.escalateTo} />}
          </span>
          {stage.justificationRequired && <span className="hint">{text.comment}</span>}
        </li>
      ))}
      <li className={styles['end']}>{text.end}</li>
    </ol>
  )
}
