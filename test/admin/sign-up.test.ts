/** Links in mails that sign up and sign in, on both kinds of stores: who gets one, who may use it, and that it has one effect. */
import { describe, expect, test } from "bun:test"
import { changeOf, firstPage } from "../support/admin-store.ts"
import { useStoreKindsInTurn } from "../support/any-store.ts"
import { hourMs, newBrowser, useSignUps } from "../support/sign-ups.ts"

describe.each(useStoreKindsInTurn(0))("on $name", ({ create }) => {
  const trial = useSignUps(create)
  const { accounts, change, confirm, expectRefused, lastToken, link, signIn, signUp } = trial

  test("a link makes one account with a key and a session, in one change", async () => {
    const { browser, token } = await link("Ann@Example.com", newBrowser(), { name: "Ann" })
    expect(trial.mails).toMatchObject([
      { recipient: "ann@example.com", template: "confirmation", accountId: null },
    ])
    const { link: sent } = JSON.parse(trial.mails[0]?.data ?? "")
    expect(sent).toBe(`https://api.example/portal/confirm#sign-up=${token}`)
    expect(await accounts()).toEqual([])
    const { opened, key } = await confirm(token, browser)
    const [account] = await accounts()
    expect(account).toMatchObject({ name: "Ann", email: "ann@example.com", plan: "free", bonus: 500 })
    expect(opened.account).toMatchObject({ id: account?.id })
    expect(key).toStartWith("pk-")
    const keys = await trial.admin.keys({ accountId: account?.id }, firstPage)
    expect(keys).toMatchObject([{ name: "first key" }])
    const [record, ...others] = await trial.admin.audit({ accountId: account?.id }, firstPage)
    expect(others).toEqual([])
    expect(record).toMatchObject({ operation: "portal.sign_up" })
    const { email, plan, bonus } = JSON.parse(record?.after ?? "")
    expect([email, plan, bonus]).toEqual(["ann@example.com", "free", 500])
    expect(JSON.stringify(await trial.admin.audit({}, firstPage))).not.toContain(token)
  })

  test("one link, used many times at once by two workers, makes one account", async () => {
    const { browser, token } = await link("ann@example.com")
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        confirm(token, browser, {}, n % 2 === 0 ? trial.first : trial.second),
      ),
    )
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    expect(await accounts()).toHaveLength(1)
    await expectRefused(token, browser, "The link was used already, or it has expired.")
  })

  test("two links at once make one account, and the other one says so", async () => {
    const browser = newBrowser()
    const [a, b] = [await link("ann@example.com", browser), await link("ann@example.com", browser)]
    const both = [confirm(a.token, browser), confirm(b.token, browser, {}, trial.second)]
    const outcomes = await Promise.allSettled(both)
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    expect(await accounts()).toHaveLength(1)
  })

  test("a link works only in the browser that asked, and is not used up by another", async () => {
    const { browser, token } = await link("ann@example.com")
    for (const other of [newBrowser(), null, ""])
      await expect(confirm(token, other)).rejects.toThrow("only in the browser that asked for it")
    expect(await accounts()).toEqual([])
    expect((await confirm(token, browser)).key).toStartWith("pk-")
  })

  test("a link ends after an hour", async () => {
    const { browser, token } = await link("ann@example.com")
    const other = await link("bob@example.com", browser)
    trial.clock.advance(hourMs - 1)
    await confirm(token, browser)
    trial.clock.advance(1)
    await expect(confirm(other.token, browser)).rejects.toThrow("expired")
    expect(await accounts()).toHaveLength(1)
  })

  test("an address with an account gets a link to sign in, whatever was asked for, and others get none to sign in", async () => {
    await trial.insertAccount("acc_1", "ann@example.com")
    const browser = newBrowser()
    expect(await signUp("ANN@example.com", browser)).toBe("sent")
    expect(trial.mails).toMatchObject([{ template: "sign-in", accountId: "acc_1" }])
    const { opened, key } = await confirm(lastToken(), browser)
    expect([opened.account?.id, key, await signIn("nobody@example.com")]).toEqual(["acc_1", null, "nothing"])
    expect(trial.mails).toHaveLength(1)
  })

  test("an account that is closed gets no link, a link from before opens nothing, and there is no second account", async () => {
    await trial.insertAccount("acc_1", "ann@example.com")
    const browser = newBrowser()
    await signIn("ann@example.com", browser)
    const set = { closedMs: 5 }
    await trial.admin.apply(changeOf([{ kind: "account.update", id: "acc_1", version: 1, set }]))
    await expectRefused(lastToken(), browser, "The account is closed.")
    expect([await signIn("ann@example.com"), await signUp("ann@example.com")]).toEqual(["nothing", "nothing"])
    expect([trial.mails.length, (await accounts()).length]).toEqual([1, 1])
  })

  test("a link to an address that the account no longer has opens nothing", async () => {
    await trial.insertAccount("acc_1", "ann@example.com")
    const browser = newBrowser()
    await signIn("ann@example.com", browser)
    const set = { email: "bob@example.com" }
    await trial.admin.apply(changeOf([{ kind: "account.update", id: "acc_1", version: 1, set }]))
    await expectRefused(lastToken(), browser, "has changed since the link was sent")
  })

  test.each([["bob@example.com"], [null]])(
    "an address that was changed to %p and back ends the links from before, and no later ones",
    async (other) => {
      const email = "ann@example.com"
      await trial.insertAccount("acc_1", "ann@example.com")
      const browser = newBrowser()
      await signIn(email, browser)
      const before = lastToken()
      trial.clock.advance(1)
      await change({ name: "Ann Lee", metadata: { email } })
      expect(await trial.first.read(before, browser)).toEqual({ plan: null, terms: null })
      await change({ email: other })
      await change({ email })
      trial.clock.advance(1)
      await expectRefused(before, browser, "has changed since the link was sent")
      await signIn(email, browser)
      expect((await confirm(lastToken(), browser)).opened.account?.id).toBe("acc_1")
    },
  )

  test("an address that came and went among many other changes ends the links from before", async () => {
    const email = "ann@example.com"
    await trial.insertAccount("acc_1", "ann@example.com")
    const browser = newBrowser()
    await signIn(email, browser)
    await change({ email: "bob@example.com" })
    await change({ email })
    for (let n = 0; n < 250; n++) await change({ name: `Ann ${n}` })
    await expectRefused(lastToken(), browser, "has changed since the link was sent")
  })

  test("an account that an operator made meanwhile stays the only one with the address", async () => {
    const { browser, token } = await link("ann@example.com")
    await trial.insertAccount("acc_1", "ann@example.com")
    await expectRefused(token, browser, "There is an account with this e-mail address already.")
    expect(await accounts()).toHaveLength(1)
  })
})
