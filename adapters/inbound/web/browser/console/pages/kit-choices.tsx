/** Menus and comboboxes for the page that shows the kit. */
import { useState } from 'react'
import { ActionButtons } from '../kit/action-buttons.tsx'
import { Menu } from '../kit/menu.tsx'
import { Section } from '../kit/record.tsx'
import { RecordsField, type NamedRecord } from '../kit/records-field.tsx'
import { SearchSelect } from '../kit/search-select.tsx'

const actions = ['Edit', 'Rename', 'Suspend', 'Copy', 'Delete'].map((label) => ({
  name: label,
  label,
  dangerous: label === 'Delete',
}))

export const Choices = () => {
  const [shown, setShown] = useState<readonly string[]>(['email'])
  const [user, setUser] = useState<NamedRecord | null>(null)
  const [users, setUsers] = useState<readonly NamedRecord[]>([])
  const [last, setLast] = useState('nothing')
  return (
    <>
      <Section title="Menus" hint="Switches stay open; an action closes the menu">
        <div className="actions">
          <Menu
            label="Switches"
            look="quiet"
            hint="A hint below the entries."
            entries={['email', 'status'].map((id) => ({ id, label: id, checked: shown.includes(id) }))}
            onAction={(id) =>
              setShown(shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id])
            }
          />
          <ActionButtons actions={actions} onAction={setLast} />
        </div>
        <p role="status">Last action: {last}</p>
      </Section>
      <Section title="Comboboxes" hint="The server searches">
        <SearchSelect
          name="one"
          label="One user"
          hint="A hint."
          path="/users"
          value={user}
          none="Nobody"
          onChange={setUser}
        />
        <SearchSelect
          name="wrong"
          label="One user, with an error"
          error="What is wrong with it."
          path="/users"
          value={null}
          none="Nobody"
          onChange={() => undefined}
        />
        <SearchSelect
          name="failed"
          label="A list that cannot be read"
          path="/does-not-exist"
          value={null}
          none="Nobody"
          onChange={() => undefined}
        />
        <RecordsField
          name="several"
          label="Several users"
          none="Nobody is called this."
          path="/users"
          chosen={users}
          onChange={setUsers}
        />
      </Section>
    </>
  )
}
