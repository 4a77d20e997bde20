// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/inbox.h"

#include "frazil/base/error.h"

namespace frazil::stream {

namespace {

using Clock = std::chrono::steady_clock;

/// Adds the time until its end to a counter of milliseconds; whole ones, the rest is lost.
class BlockedTime {
 public:
  explicit BlockedTime(Counter& counter) : counter_(counter), start_(Clock::now()) {}
  ~BlockedTime() { counter_.Add(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count()); }

 private:
  Counter& counter_;
  Clock::time_point start_;
};

/// Batches count against the limits; the rest is small and must not wait for room.
int64_t BytesOf(const Element& element) {
  const auto* batch = std::get_if<ChangeBatch>(&element);
  return batch == nullptr ? 0 : batch->num_bytes();
}

}  // namespace

Inbox::Inbox(int num_channels, ChannelLimits limits) : limits_(limits), channels_(num_channels) {}

int64_t Inbox::Push(int channel_index, Element element, Counter& blocked_ms) {
  const bool is_batch = std::holds_alternative<ChangeBatch>(element);
  const int64_t bytes = BytesOf(element);
  std::unique_lock lock(mutex_);
  Channel& channel = channels_[channel_index];
  if (is_batch && Full(channel) && !cancelled()) {
    BlockedTime blocked(blocked_ms);
    producers_.wait(lock, [&] { return !Full(channel) || cancelled(); });
  }
  if (cancelled()) throw TaskCancelled();
  channel.elements.push_back({std::move(element), bytes});
  channel.batches += is_batch ? 1 : 0;
  channel.bytes += bytes;
  consumer_.notify_one();
  return bytes;
}

void Inbox::Post(Control message) {
  std::lock_guard lock(mutex_);
  control_.push_back(std::move(message));
  consumer_.notify_one();
}

void Inbox::WakeUp() {
  std::lock_guard lock(mutex_);
  woken_ = true;
  consumer_.notify_one();
}

void Inbox::Cancel() {
  std::lock_guard lock(mutex_);
  cancelled_ = true;
  consumer_.notify_all();
  producers_.notify_all();
}

std::variant<Control, Arrival> Inbox::Next(Counter& idle_ms) {
  std::unique_lock lock(mutex_);
  for (;;) {
    int ready = -1;
    auto something = [&] { return cancelled() || !control_.empty() || (ready = Ready()) >= 0; };
    if (!something()) {
      BlockedTime idle(idle_ms);
      consumer_.wait(lock, something);
    }
    if (std::optional<Control> control = TakeControl()) return std::move(*control);
    next_channel_ = ready + 1;
    if (std::optional<Arrival> arrival = Combine(ready, Pop(channels_[ready]))) return std::move(*arrival);
  }
}

std::optional<Control> Inbox::PollControl() {
  std::lock_guard lock(mutex_);
  return TakeControl();
}

std::optional<Control> Inbox::WaitForControl(std::optional<Clock::time_point> deadline, Counter& idle_ms) {
  std::unique_lock lock(mutex_);
  auto something = [&] { return cancelled() || !control_.empty() || woken_; };
  if (!something()) {
    BlockedTime idle(idle_ms);
    if (deadline) {
      consumer_.wait_until(lock, *deadline, something);
    } else {
      consumer_.wait(lock, something);
    }
  }
  woken_ = false;
  return TakeControl();
}

bool Inbox::Full(const Channel& channel) const {
  // An empty channel takes a batch of any size, else a huge one could never pass.
  return channel.batches > 0 && (channel.batches >= limits_.max_batches || channel.bytes >= limits_.max_bytes);
}

int Inbox::Ready() const {
  const int count = static_cast<int>(channels_.size());
  for (int i = 0; i < count; ++i) {
    int candidate = (next_channel_ + i) % count;
    const Channel& channel = channels_[candidate];
    if (!channel.has_barrier && !channel.elements.empty()) return candidate;
  }
  return -1;
}

std::optional<Control> Inbox::TakeControl() {
  if (cancelled()) throw TaskCancelled();
  if (control_.empty()) return std::nullopt;
  Control message = std::move(control_.front());
  control_.pop_front();
  return message;
}

Element Inbox::Pop(Channel& channel) {
  Queued front = std::move(channel.elements.front());
  channel.elements.pop_front();
  if (std::holds_alternative<ChangeBatch>(front.element)) {
    --channel.batches;
    channel.bytes -= front.bytes;
    producers_.notify_all();
  }
  return std::move(front.element);
}

std::optional<Arrival> Inbox::Combine(int channel, Element element) {
  if (const auto* barrier = std::get_if<Barrier>(&element)) return Align(channel, *barrier);
  if (const auto* watermark = std::get_if<Watermark>(&element))
    return CombineWatermark(channel, watermark->timestamp_ms);
  if (std::holds_alternative<EndOfInput>(element)) {
    if (++num_ended_ < static_cast<int>(channels_.size())) return std::nullopt;
  }
  return Arrival{channel, std::move(element)};
}

std::optional<Arrival> Inbox::Align(int channel, Barrier barrier) {
  if (num_barriers_ > 0 && barrier.checkpoint_id != barrier_id_) {
    throw Internal("barrier {} arrived while barrier {} is being aligned", barrier.checkpoint_id, barrier_id_);
  }
  barrier_id_ = barrier.checkpoint_id;
  channels_[channel].has_barrier = true;
  if (++num_barriers_ < static_cast<int>(channels_.size())) return std::nullopt;
  num_barriers_ = 0;
  for (Channel& each : channels_) each.has_barrier = false;
  return Arrival{channel, barrier};
}

std::optional<Arrival> Inbox::CombineWatermark(int channel, int64_t timestamp_ms) {
  channels_[channel].watermark = timestamp_ms;
  int64_t least = Watermark::kMax;
  for (const Channel& each : channels_) least = std::min(least, each.watermark);
  if (least <= watermark_) return std::nullopt;
  watermark_ = least;
  return Arrival{channel, Watermark{least}};
}

}  // namespace frazil::stream
