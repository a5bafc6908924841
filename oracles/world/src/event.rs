//! Events and questions of a small world, and their English. Numbers name people,
//! places and things; a sentence stands nowhere else.

/// The number of a story's first sentence.
pub const ID_OF_FIRST: usize = 1;

/// Who and what there is, by the words that name it. Beside the places there is one
/// more that no sentence names.
#[derive(Clone, Debug)]
pub struct Scene {
    /// People.
    pub people: Vec<&'static str>,
    /// Places.
    pub places: Vec<&'static str>,
    /// Things.
    pub things: Vec<&'static str>,
}

/// What a sentence tells. The letters stand for people (`p`, `q`), places (`l`, `m`)
/// and things (`o`, `b`), by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `p` came to `l`.
    Go(usize, usize),
    /// `p` is at `l`.
    Is(usize, usize),
    /// `p` is not at `l`.
    IsNot(usize, usize),
    /// `p` is not at `l` any more.
    NoLonger(usize, usize),
    /// `p` is at `l` or at `m`.
    Either(usize, usize, usize),
    /// `p` was at `l` and departed.
    Exit(usize, usize),
    /// `p` left `l`, which is a place of the story.
    LeavePlace(usize, usize),
    /// `p` left `o`, which is a thing of the story.
    LeaveThing(usize, usize),
    /// `p` is on the way.
    Wander(usize, usize),
    /// `p` took `o`.
    Take(usize, usize),
    /// `p` has `o`.
    Own(usize, usize),
    /// `p` laid `o` down.
    Drop(usize, usize),
    /// `p` gave `o` to `q`.
    Give(usize, usize, usize),
    /// `p` took `o` from `q`.
    TakeFrom(usize, usize, usize),
    /// `p` put `o` at `l`.
    Put(usize, usize, usize),
    /// `p` put `o` into `b`.
    PutInto(usize, usize, usize),
    /// `p` brought `o` to `l`.
    Bring(usize, usize, usize),
    /// `p` moved `o` to `l`.
    Shift(usize, usize, usize),
    /// `p` has `o`, which is a thing of the story.
    Has(usize, usize),
    /// `p` made an end of `o`.
    Consume(usize, usize),
    /// `p` did not come to `l`.
    DidNotGo(usize, usize),
    /// `p` was never at `l`.
    NeverWent(usize, usize),
    /// `p` wanted to come to `l`.
    Wanted(usize, usize),
    /// `p` did not take `o`.
    DidNotTake(usize, usize),
    /// `p` did not lay `o` down.
    DidNotDrop(usize, usize),
    /// `p` did not depart from `l`.
    DidNotLeave(usize, usize),
    /// Nobody came to `l`.
    NobodyWent(usize),
    /// At some earlier time `p` came to `l`.
    Earlier(usize, usize),
    /// A verb that is not understood: `p` … to `l`.
    GapTo(usize, usize),
    /// `p` … in `l`.
    GapIn(usize, usize),
    /// `p` … either in `l` or `m`.
    GapEither(usize, usize, usize),
    /// `p` … `o`.
    GapThing(usize, usize),
    /// `p` … `l`, which is a place of the story.
    GapPlace(usize, usize),
    /// `p` … `o` to `q`.
    GapGift(usize, usize, usize),
    /// `p` … `o` to `l`.
    GapShift(usize, usize, usize),
}

/// What is asked of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Where is `p`?
    Where(usize),
    /// Where is `o`?
    WhereThing(usize),
    /// Is `p` at `l`?
    IsAt(usize, usize),
    /// Is `o` at `l`?
    IsThingAt(usize, usize),
    /// Who has `o`?
    Holder(usize),
    /// What has `p`?
    Carrying(usize),
    /// How many things has `p`?
    HowMany(usize),
    /// Where was `p` before it was at `l`?
    Before(usize, usize),
    /// Where was `o` before it was at `l`?
    ThingBefore(usize, usize),
}

impl Scene {
    /// The sentence of an event.
    #[must_use]
    pub fn sentence(&self, event: Event) -> String {
        let who = |p: usize| self.people[p];
        let at = |l: usize| self.places[l];
        let it = |o: usize| self.things[o];
        match event {
            Event::Go(p, l) => format!("{} went to the {}.", who(p), at(l)),
            Event::Is(p, l) => format!("{} is in the {}.", who(p), at(l)),
            Event::IsNot(p, l) => format!("{} is not in the {}.", who(p), at(l)),
            Event::NoLonger(p, l) => format!("{} is no longer in the {}.", who(p), at(l)),
            Event::Either(p, l, m) => {
                format!("{} is either in the {} or the {}.", who(p), at(l), at(m))
            }
            Event::Exit(p, l) => format!("{} exited the {}.", who(p), at(l)),
            Event::LeavePlace(p, l) => format!("{} left the {}.", who(p), at(l)),
            Event::LeaveThing(p, o) => format!("{} left the {}.", who(p), it(o)),
            Event::Wander(p, l) => format!("{} walked towards the {}.", who(p), at(l)),
            Event::Take(p, o) => format!("{} took the {}.", who(p), it(o)),
            Event::Own(p, o) => format!("{} is carrying the {}.", who(p), it(o)),
            Event::Drop(p, o) => format!("{} dropped the {}.", who(p), it(o)),
            Event::Give(p, o, q) => format!("{} gave the {} to {}.", who(p), it(o), who(q)),
            Event::TakeFrom(p, o, q) => format!("{} took the {} from {}.", who(p), it(o), who(q)),
            Event::Put(p, o, l) => format!("{} put the {} in the {}.", who(p), it(o), at(l)),
            Event::PutInto(p, o, b) => format!("{} put the {} in the {}.", who(p), it(o), it(b)),
            Event::Bring(p, o, l) => format!("{} brought the {} to the {}.", who(p), it(o), at(l)),
            Event::Shift(p, o, l) => format!("{} moved the {} to the {}.", who(p), it(o), at(l)),
            Event::Has(p, o) => format!("{} has the {}.", who(p), it(o)),
            Event::DidNotGo(p, l) => format!("{} did not go to the {}.", who(p), at(l)),
            Event::NeverWent(p, l) => format!("{} never went to the {}.", who(p), at(l)),
            Event::Wanted(p, l) => format!("{} wanted to go to the {}.", who(p), at(l)),
            Event::DidNotTake(p, o) => format!("{} did not take the {}.", who(p), it(o)),
            Event::DidNotDrop(p, o) => format!("{} did not drop the {}.", who(p), it(o)),
            Event::DidNotLeave(p, l) => format!("{} did not leave the {}.", who(p), at(l)),
            Event::NobodyWent(l) => format!("Nobody went to the {}.", at(l)),
            Event::Consume(p, o) => format!("{} drank the {}.", who(p), it(o)),
            Event::Earlier(p, l) => format!("Earlier, {} went to the {}.", who(p), at(l)),
            Event::GapTo(p, l) => format!("{} blicked to the {}.", who(p), at(l)),
            Event::GapIn(p, l) => format!("{} blicked in the {}.", who(p), at(l)),
            Event::GapEither(p, l, m) => {
                format!(
                    "{} blicked either in the {} or the {}.",
                    who(p),
                    at(l),
                    at(m)
                )
            }
            Event::GapThing(p, o) => format!("{} blicked the {}.", who(p), it(o)),
            Event::GapPlace(p, l) => format!("{} blicked the {}.", who(p), at(l)),
            Event::GapGift(p, o, q) => format!("{} blicked the {} to {}.", who(p), it(o), who(q)),
            Event::GapShift(p, o, l) => {
                format!("{} blicked the {} to the {}.", who(p), it(o), at(l))
            }
        }
    }

    /// The words of a question.
    #[must_use]
    pub fn question(&self, question: Question) -> String {
        match question {
            Question::Where(p) => format!("Where is {}?", self.people[p]),
            Question::WhereThing(o) => format!("Where is the {}?", self.things[o]),
            Question::IsAt(p, l) => format!("Is {} in the {}?", self.people[p], self.places[l]),
            Question::IsThingAt(o, l) => {
                format!("Is the {} in the {}?", self.things[o], self.places[l])
            }
            Question::Holder(o) => format!("Who has the {}?", self.things[o]),
            Question::Carrying(p) => format!("What is {} carrying?", self.people[p]),
            Question::HowMany(p) => format!("How many objects is {} carrying?", self.people[p]),
            Question::Before(p, l) => {
                format!(
                    "Where was {} before the {}?",
                    self.people[p], self.places[l]
                )
            }
            Question::ThingBefore(o, l) => {
                format!(
                    "Where was the {} before the {}?",
                    self.things[o], self.places[l]
                )
            }
        }
    }
}
