import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { AnswerOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { Button, LinkButton } from "../../kit/button.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { Facts } from "../../kit/facts.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { Time } from "../../kit/text.tsx"
import { KeyState, nameOf } from "../../shared/key-state.tsx"

/** Finds the key and account of a leaked text. */
export function FindKey({ close }: { readonly close: () => void }) {
  const [found, setFound] = useState<AnswerOf<"keys.find"> | null>(null)
  return (
    <Dialog title="Look up a leaked key" close={close}>
      {found ? (
        <>
          <Facts
            facts={[
              ["Key", nameOf(found)],
              ["State", <KeyState key="state" state={found.state} />],
              ["Account", found.account_name],
              ["Created", <Time key="created" at={found.created} />],
              found.text_ends === null
                ? null
                : ["This text ends", <Time key="ends" at={found.text_ends} style="instant" />],
            ]}
          />
          <div class="form-buttons">
            <LinkButton kind="primary" href={addressOf(`/keys/${found.id}`)}>
              Open the key
            </LinkButton>
            <Button kind="quiet" onClick={() => setFound(null)}>
              Look up another
            </Button>
          </div>
        </>
      ) : (
        <Form
          submit="Look up"
          required={{ key: "Type the key's text; it starts with pk-." }}
          send={(values) => send("keys.find", { key: values.text("key") })}
          done={setFound}
          cancel={close}
        >
          <TextField name="key" label="Text of the key" required hint="It is neither stored nor logged." />
        </Form>
      )}
    </Dialog>
  )
}
