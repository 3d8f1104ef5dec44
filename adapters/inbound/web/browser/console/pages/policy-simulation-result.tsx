import { commonTexts } from '../kit/common-texts.ts'
import kitStyles from '../kit/kit.module.css'
import { PageLink } from '../kit/link.tsx'
import { Facts } from '../kit/record.tsx'
import { TableFrame } from '../kit/table-frame.tsx'
import type { PolicyRecord, PolicySimulationRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { PolicyStatus } from './policy-status.tsx'
import { usePolicyTexts } from './policy-texts.ts'
import { OutcomeBadge } from './sign-in-decision.tsx'

/** The outcome, and each policy with whether it matches, and why not. */
export const SimulationResult = ({
  simulation: { outcome, wouldBe, trace },
  draft,
}: {
  readonly simulation: PolicySimulationRecord
  /** The policy that was evaluated as if it were enabled */
  readonly draft: PolicyRecord | null
}) => {
  const text = usePolicyTexts()
  const common = useTexts(commonTexts)
  return (
    <>
      <Facts
        facts={[
          [text.result, <OutcomeBadge key="outcome" outcome={outcome} />],
          [text.wouldBe, wouldBe === outcome ? null : <OutcomeBadge key="wouldBe" outcome={wouldBe} />],
        ]}
      />
      {trace.length === 0 ? (
        <p>{text.noPolicies}</p>
      ) : (
        <TableFrame>
          <table className={kitStyles['table']} aria-label={text.trace}>
            <thead>
              <tr>
                <th scope="col">{text.name}</th>
                <th scope="col">{text.status}</th>
                <th scope="col">{text.matched}</th>
                <th scope="col">{text.failing}</th>
              </tr>
            </thead>
            <tbody>
              {trace.map(({ policyId, name, status, matches, conditions: held }) => (
                <tr key={policyId}>
                  <th scope="row">
                    {policyId === draft?.id ? (
                      draft.name
                    ) : (
                      <PageLink to={`/console/policies/${policyId}`}>{name}</PageLink>
                    )}
                  </th>
                  <td data-label={text.status}>
                    <PolicyStatus status={status} />
                  </td>
                  <td data-label={text.matched}>{matches ? common.yes : common.no}</td>
                  <td data-label={text.failing}>
                    {held
                      .filter(({ holds }) => !holds)
                      .map(({ condition }) => text.conditions[condition])
                      .join(', ') || common.none}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
    </>
  )
}
