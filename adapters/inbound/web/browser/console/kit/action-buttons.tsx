/** The actions of a record: buttons for the first ones, and a menu for the rest if there are many. */
import { useTexts } from '../text.tsx'
import { Button } from './button.tsx'
import { commonTexts } from './common-texts.ts'
import { Menu } from './menu.tsx'

const MOST = 4
const KEPT = 3

export const ActionButtons = <Name extends string>({
  actions,
  onAction,
}: {
  /** The most usual first */
  readonly actions: readonly { readonly name: Name; readonly label: string; readonly dangerous: boolean }[]
  readonly onAction: (name: Name) => void
}) => {
  const { more } = useTexts(commonTexts)
  const shown = actions.slice(0, actions.length > MOST ? KEPT : MOST)
  const rest = actions.slice(shown.length)
  return (
    <>
      {shown.map(({ name, label, dangerous }) => (
        <Button key={name} small look={dangerous ? 'danger' : 'plain'} onClick={() => onAction(name)}>
          {label}
        </Button>
      ))}
      {rest.length > 0 && (
        <Menu
          label={more}
          small
          entries={rest.map(({ name, label, dangerous }) => ({ id: name, label, dangerous }))}
          onAction={(id) => {
            const chosen = rest.find(({ name }) => name === id)
            if (chosen !== undefined) onAction(chosen.name)
          }}
        />
      )}
    </>
  )
}
